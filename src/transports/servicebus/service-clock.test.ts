import { expect, test } from 'vitest'
import { createServiceClock } from './service-clock.ts'

const hour = 3_600_000
const lock = 30_000
const serviceTime = 1_000_000_000_000

/** What a clock that is ahead of the service's by so much makes of its time, after it has seen a lock. */
function corrected(ahead: number): number {
  const service = createServiceClock({ now: () => serviceTime + ahead })
  service.locked(serviceTime + lock)
  return service.now()
}

test('a clock that may be right is taken at its word', () => {
  for (const ahead of [0, 1000, -1000, 2 * 60_000, -2 * 60_000]) expect(corrected(ahead)).toBe(serviceTime + ahead)
})

test.each([hour, -hour, 24 * hour])(
  'one that is ahead by %i ms is put right, to the end of the lock and never before the time that it is',
  (ahead) => {
    expect(corrected(ahead)).toBe(serviceTime + lock)
  },
)

test('a lock that was read late proves nothing, and a clock that was put right is believed again', () => {
  let ours = serviceTime + hour
  const service = createServiceClock({ now: () => ours })
  service.locked(serviceTime + lock)
  ours = serviceTime + 4 * 60_000
  service.locked(serviceTime + lock)
  expect(service.now()).toBe(ours)
})
