import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { delayFor } from './backoff.ts'
import type { Backoff } from './policy.ts'

const plain: Backoff = { kind: 'exponential', first: 1000, max: 300_000, factor: 2, jitter: 0 }

const anyBackoff: fc.Arbitrary<Backoff> = fc.record({
  kind: fc.constantFrom('fixed', 'linear', 'exponential'),
  first: fc.nat({ max: 10 ** 8 }),
  max: fc.nat({ max: 10 ** 10 }),
  factor: fc.double({ min: 1, max: 100, noNaN: true }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
})
const anyRetry = fc.integer({ min: 1, max: 10_000 })
const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('delayFor', () => {
  it.each([
    ['fixed', [1000, 1000, 1000, 1000]],
    ['linear', [1000, 2000, 3000, 4000]],
    ['exponential', [1000, 2000, 4000, 8000]],
  ] as const)('grows %s delays as %j', (kind, delays) => {
    expect([1, 2, 3, 4].map((retry) => delayFor({ ...plain, kind }, retry, 0))).toEqual(delays)
  })

  it('applies the limit before the jitter, so that the longest delays are spread out too', () => {
    expect(delayFor({ ...plain, jitter: 0.2 }, 20, 0.5)).toBe(330_000)
  })

  it('does not overflow at retry 10,000', () => {
    expect(delayFor(plain, 10_000, 0)).toBe(300_000)
    expect(delayFor({ ...plain, first: 0 }, 10_000, 0)).toBe(0)
    expect(delayFor({ ...plain, max: Number.POSITIVE_INFINITY, jitter: 1 }, 10_000, 0.99)).toBeLessThan(Number.POSITIVE_INFINITY)
  })

  it('only lengthens by jitter, by at most its share, and gives whole milliseconds', () => {
    fc.assert(
      fc.property(anyBackoff, anyRetry, anyRandom, (backoff, retry, random) => {
        const delay = delayFor({ ...backoff, jitter: 0 }, retry, random)
        const jittered = delayFor(backoff, retry, random)
        expect(Number.isInteger(jittered)).toBe(true)
        expect(delay).toBeLessThanOrEqual(backoff.max)
        expect(jittered).toBeGreaterThanOrEqual(delay)
        expect(jittered).toBeLessThanOrEqual(delay * (1 + backoff.jitter))
      }),
    )
  })

  it('never waits less at a later retry', () => {
    fc.assert(
      fc.property(anyBackoff, anyRetry, (backoff, retry) => {
        expect(delayFor(backoff, retry + 1, 0)).toBeGreaterThanOrEqual(delayFor(backoff, retry, 0))
      }),
    )
  })
})
