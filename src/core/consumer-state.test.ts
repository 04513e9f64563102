import { expect, test } from 'vitest'
import { consumerState } from './consumer-state.ts'

const heard = { lastAt: 100_000, every: 5000, isStopped: false }

test.each([
  ['just heard of', 0, 'reporting'],
  ['late by two reports', 14_999, 'reporting'],
  ['whose third report is due', 15_000, 'reporting'],
  ['that missed three', 15_001, 'unknown'],
  ['that was last heard of a year ago', 365 * 86_400_000, 'unknown'],
  ['heard of in the future, by a clock that was set back', -60_000, 'reporting'],
] as const)('a consumer %s', (_, later, state) => {
  expect(consumerState(heard, heard.lastAt + later)).toBe(state)
})

test('one that said goodbye is stopped, however long ago that was', () => {
  expect(consumerState({ ...heard, isStopped: true }, heard.lastAt + 1e12)).toBe('stopped')
})
