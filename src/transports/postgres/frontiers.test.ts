import { expect, it } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { createFrontiers } from './frontiers.ts'

it('goes on behind what was claimed last, whichever of two claims is answered last', () => {
  const frontiers = createFrontiers(virtualClock())
  expect(frontiers.of(1)).toBe(0)
  frontiers.reached(1, [4, 5, 6])
  frontiers.reached(1, [1, 2, 3])
  expect(frontiers.of(1)).toBe(6)
  expect(frontiers.of(2)).toBe(0)
})

it('begins at the beginning every now and then, and when something may stand there', async () => {
  const clock = virtualClock()
  const frontiers = createFrontiers(clock)
  frontiers.of(1)
  frontiers.reached(1, [1, 2, 3])
  await clock.advance(199)
  expect(frontiers.of(1)).toBe(3)
  await clock.advance(1)
  expect(frontiers.of(1)).toBe(0)
  frontiers.reached(1, [4])
  frontiers.forget(1)
  // Asked for before it was forgotten: what stands before it would be passed over.
  frontiers.reached(1, [5])
  expect(frontiers.of(1)).toBe(0)
})
