import { expect, test } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { type Lock, newLock } from './held.ts'
import { createLockKeeper } from './lock-keeper.ts'

const term = 60_000
const answerWithin = 10_000

/** A lock that is to be kept, and how often it was renewed. */
function stage(renew: (end: number) => Promise<Date>) {
  const clock = virtualClock()
  const keeper = createLockKeeper(clock, answerWithin)
  const asked: number[] = []
  const start = clock.now()
  const renewed = (): Promise<Date> => {
    asked.push(clock.now() - start)
    return renew(clock.now() + term)
  }
  const lock: Lock = newLock(start + term, start, renewed, Number.POSITIVE_INFINITY)
  keeper.add(lock)
  return { clock, keeper, lock, asked }
}

test('a lock that can be renewed is kept for as long as it is wanted', async () => {
  const { clock, lock } = stage(async (end) => new Date(end))
  await clock.advance(10 * term)
  expect(lock.loss).toBeUndefined()
})

test('a lock that could not be renewed before its end, whatever the reason, is lost then and not renewed any more', async () => {
  const { clock, lock, asked } = stage(async () => {
    throw Object.assign(new Error('no network'), { code: 'ServiceCommunicationProblem' })
  })
  await clock.advance(term - 1)
  expect(lock.loss).toBeUndefined()
  await clock.advance(1_001)
  expect(lock.loss).toMatchObject({ code: 'hold-lost' })
  const before = asked.length
  await clock.advance(term)
  expect(asked).toHaveLength(before)
})

test('a renewal that is not answered in time is asked for again while the lock lasts', async () => {
  const { clock, lock, asked } = stage((end) => (asked.length === 1 ? new Promise(() => {}) : Promise.resolve(new Date(end))))
  await clock.advance(term)
  expect(lock.loss).toBeUndefined()
  expect(lock.until).toBeGreaterThan(clock.now())
})

test('whoever asks for more time is told within the time for an answer that there was none', async () => {
  const { clock, keeper, lock } = stage(() => new Promise(() => {}))
  const told = expect(keeper.extend(lock, clock.now() + term)).rejects.toMatchObject({ code: 'unsure' })
  await clock.advance(answerWithin)
  await told
})
