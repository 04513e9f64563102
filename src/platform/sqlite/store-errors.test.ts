import { expect, test } from 'vitest'
import { storeError } from './store-errors.ts'

/** By SQLite's own numbers: IOERR_WRITE, NOMEM, FULL, MISMATCH, CONSTRAINT. */
test.each([
  ['what a disk does', 778, 'refused'],
  ['what memory does', 7, 'refused'],
  ['a full disk', 13, 'store-full'],
  ['a value that does not fit', 20, 'store-failed'],
  ['a value that may not be', 19, 'store-failed'],
])('%s is told apart from what is wrong with what was written', (_, errcode, code) => {
  expect(storeError(Object.assign(new Error('no'), { errcode }), 'redrive.db')).toMatchObject({ code })
})
