import { expect, it } from 'vitest'
import { embedded } from './embedded.ts'

it.each([
  [undefined, 'bad-option', 'embedded: file is missing'],
  [{ file: '' }, 'bad-option', 'embedded: file is ""'],
  [{ fil: 'queue.db' }, 'unknown-option', 'Did you mean "file"?'],
  [{ file: 'queue.db', maxBody: 0 }, 'bad-option', 'maxBody is 0'],
  [{ file: 'queue.db', pollEvery: 0 }, 'bad-option', 'pollEvery is 0'],
  [{ file: 'queue.db', sweepEvery: 'often' }, 'bad-option', 'sweepEvery is "often"'],
  [{ file: 'queue.db', busyTimeout: -1 }, 'bad-option', 'busyTimeout is -1'],
  [{ file: 'queue.db', durability: 'none' }, 'bad-option', 'durability is "none"'],
  [{ file: 'queue.db', clock: { now: Date.now } }, 'bad-option', 'a clock'],
  [{ file: 'queue.db', onCommit: 'log' }, 'bad-option', 'a function'],
])('the options %o are refused: %s', (options, code, says) => {
  expect(() => embedded(options as never)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(says) }))
})
