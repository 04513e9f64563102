import { expect, test } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { createAbandoned } from './abandoned.ts'

test('what goes on is somebody’s, however long it takes; what stands still for half a minute is nobody’s', async () => {
  const clock = virtualClock()
  const { among } = createAbandoned(clock)
  for (let progress = 0; progress < 5; progress++) {
    expect([...among([{ replay: 1, progress }])]).toEqual([1])
    await clock.advance(20_000)
  }
  expect([...among([{ replay: 1, progress: 4 }])]).toEqual([1])
  await clock.advance(10_000)
  expect([...among([{ replay: 1, progress: 4 }])]).toEqual([])
  expect([...among([{ replay: 1, progress: 5 }])]).toEqual([1])
})

test('one that was not seen for a while is looked at anew', async () => {
  const clock = virtualClock()
  const { among } = createAbandoned(clock)
  among([{ replay: 1, progress: 4 }])
  await clock.advance(40_000)
  among([])
  expect([...among([{ replay: 1, progress: 4 }])]).toEqual([1])
})
