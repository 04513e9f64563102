import { expect, test } from 'vitest'
import { type ErrorCode, errorCodes, RedriveError } from '../core/errors.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { Declined } from './output/confirm.ts'

test.each<[unknown, number]>([
  [new RedriveError('not-found', ''), 3],
  [new RedriveError('nothing-to-do', ''), 3],
  [new RedriveError('conflict', ''), 4],
  [new RedriveError('seal-broken', ''), 4],
  [new RedriveError('bad-filter', ''), 2],
  [new RedriveError('unreachable', ''), 2],
  [new Declined(''), 5],
  [new TypeError('a defect of ours'), 2],
  ['something that is no error', 2],
])('%o ends a command with %i', (error, expected) => {
  expect(exitCodeOf(error)).toBe(expected)
})

test('no error is ever a success', () => {
  for (const code of Object.keys(errorCodes) as ErrorCode[])
    expect(exitCodeOf(new RedriveError(code, ''))).not.toBe(exitCodes.done)
})
