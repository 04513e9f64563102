import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inOrder } from './in-order.ts'

const isLess = (one: number, other: number): boolean => one < other
const ascending = (one: number, other: number): number => one - other

test('lists in order become one list in order, whatever is in them', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 50 }))), (lists) => {
      const sorted = lists.map((list) => list.toSorted(ascending))
      expect([...inOrder(sorted, isLess)]).toEqual(lists.flat().toSorted(ascending))
    }),
  )
})

test('no list is read further ahead than by one item', () => {
  const read: number[] = []
  function* counting(from: number): Generator<number> {
    for (let next = from; ; next += 10) {
      read.push(next)
      yield next
    }
  }
  const merged = inOrder([counting(1), counting(2)], isLess)
  expect([merged.next().value, merged.next().value, merged.next().value]).toEqual([1, 2, 11])
  expect(read).toEqual([1, 2, 11, 12])
})
