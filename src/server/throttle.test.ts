import { expect, test } from 'vitest'
import { virtualClock } from '../platform/virtual-clock.ts'
import { createThrottle } from './throttle.ts'

const minute = 60_000

test('what failed is forgotten while somebody of the same network goes on mistyping', async () => {
  const clock = virtualClock()
  const throttle = createThrottle({ clock, free: 5 })
  for (let slips = 0; slips < 50; slips++) {
    throttle.attempt('office')
    await clock.advance(2 * minute)
  }
  for (let tries = 0; tries < 5; tries++) expect(() => throttle.attempt('office')).not.toThrow()
})

test('who comes in meanwhile keeps nobody else’s slips from being forgotten', async () => {
  const clock = virtualClock()
  const throttle = createThrottle({ clock, free: 5 })
  for (let tries = 0; tries < 5; tries++) throttle.attempt('office')
  for (let logins = 0; logins < 5; logins++) {
    await clock.advance(minute)
    throttle.attempt('office')
    throttle.refund('office')
  }
  for (let tries = 0; tries < 5; tries++) throttle.attempt('office')
  // The first one that costs a wait, and the one that has to wait.
  throttle.attempt('office')
  expect(() => throttle.attempt('office')).toThrow('Too many attempts')
})

test('nobody guesses more than about once a minute, however patient', async () => {
  for (const every of [1000, minute, 10 * minute]) {
    const clock = virtualClock()
    const throttle = createThrottle({ clock, free: 5 })
    const begun = clock.monotonic()
    let guesses = 0
    while (clock.monotonic() - begun < 120 * minute) {
      for (let burst = 0; burst < 20; burst++) if (throttle.allows('thief')) guesses++
      await clock.advance(every)
    }
    expect(guesses, `every ${every} ms`).toBeLessThan(120 + 5 + 8)
  }
})
