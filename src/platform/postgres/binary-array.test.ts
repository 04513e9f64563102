import { expect, test } from 'vitest'
import { textArray } from './binary-array.ts'

const lengthOf = (array: Buffer, at: number): number => array.readInt32BE(at)

test('texts stand one after the other, each behind its length in bytes', () => {
  const array = textArray(['a"\\', 'ü'])
  expect([0, 4, 8, 12, 16].map((at) => lengthOf(array, at))).toEqual([1, 0, 25, 2, 1])
  expect([lengthOf(array, 20), array.toString('utf8', 24, 27)]).toEqual([3, 'a"\\'])
  expect([lengthOf(array, 27), array.toString('utf8', 31)]).toEqual([2, 'ü'])
})

test('what is null has no length, and the header says that there may be such', () => {
  const array = textArray([null, ''])
  expect([lengthOf(array, 4), lengthOf(array, 20), lengthOf(array, 24)]).toEqual([1, -1, 0])
  expect(array).toHaveLength(28)
})
