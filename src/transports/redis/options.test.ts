import { expect, test } from 'vitest'
import { resolveOptions } from './options.ts'

test('everything but the url has a default', () => {
  expect(resolveOptions({ url: 'redis://localhost' })).toMatchObject({ prefix: '{redrive}:', group: 'redrive', pollEvery: 1000 })
})

test('a url that is none is refused without being shown', () => {
  expect(() => resolveOptions({ url: 'http://user:hunter2@localhost' })).toThrow(/redis:\/\//)
  expect(() => resolveOptions({ url: 'http://user:hunter2@localhost' })).not.toThrow(/hunter2/)
})

test.each([
  [{ prefix: 'a b' }, 'prefix'],
  [{ group: '~waiting' }, 'group'],
  [{ maxBody: '1GiB' as const }, 'maxBody'],
])('%o is refused by name', (option, name) => {
  expect(() => resolveOptions({ url: 'redis://localhost', ...option })).toThrow(name)
})
