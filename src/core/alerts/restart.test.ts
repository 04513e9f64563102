import { describe, expect, it } from 'vitest'
import { afterOutage, resumedTime } from './restart.ts'

const minute = 60_000
const hour = 60 * minute

it('time goes on by what the wall clock says, and never back', () => {
  expect(resumedTime({ at: 100, savedAt: 1000 }, 1250)).toEqual({ at: 350, outage: 250 })
  expect(resumedTime({ at: 100, savedAt: 1000 }, 400)).toEqual({ at: 100, outage: 0 })
})

describe('after an outage', () => {
  const now = 10 * hour
  const pending = { phase: 'pending', since: 1000, episode: 0 } as const
  const since = (lasting: number, outage: number): number => afterOutage(pending, { for: lasting }, outage, now).since

  it('of less than an hour, what was pending began when it began', () => {
    expect(since(hour, hour - 1)).toBe(1000)
  })

  it('of an hour, what was pending has ten minutes to go, or all of it where that is less', () => {
    expect(since(hour, hour)).toBe(now - 50 * minute)
    expect(since(5 * minute, hour)).toBe(now)
    expect(since(20 * hour, hour)).toBe(1000)
  })

  it('what fires goes on to', () => {
    const firing = { phase: 'firing', since: 1000, episode: 1 } as const
    expect(afterOutage(firing, { for: hour }, 9 * hour, now)).toBe(firing)
  })
})
