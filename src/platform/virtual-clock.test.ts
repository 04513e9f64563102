import { expect, test } from 'vitest'
import { virtualClock } from './virtual-clock.ts'

test('time stands still until it is advanced', async () => {
  const clock = virtualClock({ start: 1000 })
  let fired = false
  clock.after(1, () => {
    fired = true
  })
  await clock.settle()
  expect([clock.now(), clock.monotonic(), fired]).toEqual([1000, 0, false])
  await clock.advance(1)
  expect([clock.now(), clock.monotonic(), fired]).toEqual([1001, 1, true])
})

test('timers fire in the order of their due times, equal ones in the order in which they were set', async () => {
  const clock = virtualClock()
  const order: string[] = []
  clock.after(20, () => order.push(`late at ${clock.monotonic()}`))
  clock.after(10, () => order.push(`first at ${clock.monotonic()}`))
  clock.after(10, () => order.push(`second at ${clock.monotonic()}`))
  await clock.advance(30)
  expect(order).toEqual(['first at 10', 'second at 10', 'late at 20'])
})

test('what a timer set off has come to rest before the next timer fires', async () => {
  const clock = virtualClock()
  const order: string[] = []
  clock.after(1, () => {
    void Promise.resolve().then(() => clock.soon(() => clock.soon(() => order.push('the consequence'))))
  })
  clock.after(2, () => order.push('the next timer'))
  await clock.advance(2)
  expect(order).toEqual(['the consequence', 'the next timer'])
})

test('a timer that is set on the way fires on the way', async () => {
  const clock = virtualClock()
  let fired = 0
  const again = (): void => {
    fired++
    clock.after(10, again)
  }
  again()
  await clock.advance(100)
  expect(fired).toBe(11)
})

test('a cancelled timer does not fire', async () => {
  const clock = virtualClock()
  const cancel = clock.after(1, () => expect.unreachable())
  cancel()
  await clock.advance(10)
  expect(clock.pending).toBe(0)
})

test('running until idle jumps over empty time and leaves background timers alone', async () => {
  const clock = virtualClock()
  clock.after(3_600_000, () => undefined)
  clock.after(7_200_000, () => expect.unreachable(), { background: true })
  await clock.runUntilIdle()
  expect([clock.monotonic(), clock.pending]).toEqual([3_600_000, 1])
})

test('running until idle says so when something loops', async () => {
  const clock = virtualClock()
  const again = (): void => void clock.after(1, again)
  again()
  await expect(clock.runUntilIdle(50)).rejects.toThrow('looping')
})

test('a jump of the wall clock changes no duration', async () => {
  const clock = virtualClock({ start: 0 })
  clock.jump(-5000)
  await clock.advance(1)
  expect([clock.now(), clock.monotonic()]).toEqual([-4999, 1])
})

test('while time flows, waiting takes no time and still ends in order', async () => {
  const clock = virtualClock()
  const stop = clock.flow()
  const waited = (ms: number) => new Promise<number>((resolve) => clock.after(ms, () => resolve(clock.monotonic())))
  expect(await Promise.all([waited(86_400_000), waited(1000)])).toEqual([86_400_000, 1000])
  stop()
})
