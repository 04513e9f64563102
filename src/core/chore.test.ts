import { expect, test } from 'vitest'
import { virtualClock } from '../platform/virtual-clock.ts'
import { createChore } from './chore.ts'

test('is done at once and again and again, also after a failure', async () => {
  const clock = virtualClock()
  const failures: unknown[] = []
  let times = 0
  const work = async () => {
    if (++times === 2) throw new Error('not now')
  }
  const chore = createChore({ clock, every: 1000, work, onFailure: (error) => failures.push(error) })
  chore.start()
  await clock.advance(999)
  expect(times).toBe(1)
  await clock.advance(2001)
  expect({ times, failures: failures.length }).toEqual({ times: 4, failures: 1 })
  await chore.stop()
  await clock.advance(10_000)
  expect(times).toBe(4)
})

test('who stops it while it is under way waits for its end, after which it is not begun again', async () => {
  const clock = virtualClock()
  const { promise, resolve } = Promise.withResolvers<void>()
  let times = 0
  let isOver = false
  const work = async () => {
    times++
    await promise
    isOver = true
  }
  const chore = createChore({ clock, every: 1000, work, onFailure: () => {} })
  chore.start()
  const stopped = chore.stop().then(() => isOver)
  resolve()
  expect(await stopped).toBe(true)
  await clock.advance(10_000)
  expect(times).toBe(1)
})

test('one that was never started is stopped at once', async () => {
  await createChore({ clock: virtualClock(), every: 1, work: async () => {}, onFailure: () => {} }).stop()
})
