import { expect, test } from 'vitest'
import { type Flow, flowOn, grown } from './flow-of-source.ts'

test('what came and what went are counted apart, from the first look on', () => {
  const flows: Flow[] = []
  for (const letters of [5, 8, 8, 2, 4, 0]) flows.push(flowOn(flows.at(-1), letters))
  expect(flows.map(({ cameTotal }) => cameTotal)).toEqual([0, 3, 3, 3, 5, 5])
  expect(flows.map(({ wentTotal }) => wentTotal)).toEqual([0, 0, 0, 6, 6, 10])
})

test('totals that were begun anew are not taken for something that went back, and nothing is known where nobody looked', () => {
  expect(grown(3, 10)).toBe(7)
  expect(grown(10, 4)).toBe(4)
  expect(grown(undefined, 4)).toBeNull()
  expect(grown(4, undefined)).toBeNull()
})
