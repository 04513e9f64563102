import { expect, it } from 'vitest'
import { type PostgresOptions, resolveOptions } from './options.ts'

const url = 'postgres://user:hunter2@nowhere.invalid/shop'

it('fills what nobody gave', () => {
  expect(resolveOptions({ url })).toMatchObject({ schema: 'redrive', connections: 4, answerWithin: 10_000, pollEvery: 1_000 })
})

it.each<[Partial<PostgresOptions>, string]>([
  [{ schema: 'My Schema' }, 'schema is "My Schema"'],
  [{ schema: 'pg_queue' }, 'schema is "pg_queue"'],
  [{ schema: 'x'.repeat(41) }, 'schema is'],
  [{ connections: 0 }, 'connections is 0'],
  [{ url: 'amqp://user:hunter2@a' }, 'url is not one that starts with postgres://'],
])('refuses %j', (wrong, message) => {
  expect(() => resolveOptions({ url, ...wrong })).toThrow(message)
})

it('never shows a url, which may hold a password', () => {
  expect(() => resolveOptions({ url: 'http://user:hunter2@a' })).toThrow(expect.not.stringContaining('hunter2'))
})
