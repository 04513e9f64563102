import { expect, it } from 'vitest'
import { createRecentSends } from './recent-sends.ts'

it('recognises a name that got the same answer within the window, and no other', () => {
  let now = 0
  const recent = createRecentSends({ monotonic: () => now }, 1000)
  expect(recent.isKnown('a', 'm1')).toBe(false)
  expect(recent.isKnown('a', 'm1')).toBe(true)
  expect(recent.isKnown('b', 'm1')).toBe(false)
  expect(recent.isKnown('a', 'm2')).toBe(false)
  now = 2000
  expect(recent.isKnown('a', 'm2')).toBe(false)
})
