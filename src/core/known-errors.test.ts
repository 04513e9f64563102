import { expect, it } from 'vitest'
import { classOfOwnCode, classOfStatus, retryableCodes } from './known-errors.ts'

it.each([
  [200, undefined],
  [399, undefined],
  [400, 'permanent'],
  [404, 'permanent'],
  [408, 'retryable'],
  [425, 'retryable'],
  [429, 'retryable'],
  [499, 'permanent'],
  [500, 'retryable'],
  [599, 'retryable'],
  [600, undefined],
])('the status %d is %s', (status, expected) => {
  expect(classOfStatus(status)).toBe(expected)
})

it('of our own errors only those are permanent that the same message would meet again', () => {
  const permanent = Object.entries(classOfOwnCode).filter(([, verdict]) => verdict !== 'retryable')
  expect(permanent).toEqual(['bad-message', 'too-large', 'access-denied', 'unknown-channel'].map((code) => [code, 'permanent']))
})

/** Retyped from the manuals of Node, undici, PostgreSQL, SQLite and MySQL: one that is misspelt in the table would never match. */
it.each([
  ['the network', 'ETIMEDOUT ESOCKETTIMEDOUT ECONNRESET ECONNREFUSED ECONNABORTED EPIPE ENOTFOUND EAI_AGAIN'],
  ['its routes', 'EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENETRESET'],
  ['the machine', 'EAGAIN EBUSY EMFILE ENFILE ENOSPC'],
  ['HTTP clients', 'ERR_NETWORK UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT UND_ERR_SOCKET'],
  ['PostgreSQL', '08000 08001 08003 08004 08006 40001 40P01 53300 55P03 57P01 57P02 57P03'],
  [
    'SQLite and MySQL',
    'SQLITE_BUSY SQLITE_LOCKED ER_LOCK_DEADLOCK ER_LOCK_WAIT_TIMEOUT ER_CON_COUNT_ERROR PROTOCOL_CONNECTION_LOST',
  ],
])('codes of %s pass by themselves', (_, codes) => {
  expect(codes.split(' ').filter((code) => !retryableCodes.has(code))).toEqual([])
})
