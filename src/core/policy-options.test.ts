import { describe, expect, it } from 'vitest'
import { defaultPolicy, maxRuns, maxTurns } from './policy.ts'
import { type PolicyOptions, resolvePolicy } from './policy-options.ts'

const where = 'channel "orders"'

function resolve(options: unknown): ReturnType<typeof resolvePolicy> {
  return resolvePolicy(options as PolicyOptions, where)
}

describe('resolvePolicy', () => {
  it('gives the defaults when nothing is said', () => {
    expect(resolve(undefined)).toEqual(defaultPolicy)
    expect(resolve({})).toEqual(defaultPolicy)
    expect(resolve({ retry: { delayed: { backoff: {} } } })).toEqual(defaultPolicy)
  })

  it('seed 001 configuration: MaxDeliveryCount is 3 by default', () => {
    expect(maxTurns(resolve(undefined))).toBe(3)
  })

  it('seed 001 configuration: maxDeliveryCount 5 is four delayed retries', () => {
    expect(resolve({ maxDeliveryCount: 5 }).retry.delayed.retries).toBe(4)
  })

  it('takes everything that can be said', () => {
    const backoff = { kind: 'linear', first: '2s', max: '1m', factor: 3, jitter: 0.5 }
    const retry = { immediate: 2, delayed: { retries: 3, backoff } }
    expect(resolve({ retry, timeout: '1m', onTimeout: 'retryable', poison: 'deliveries' })).toEqual({
      retry: { immediate: 2, delayed: { retries: 3, backoff: { ...backoff, first: 2000, max: 60_000 } } },
      timeout: 60_000,
      onTimeout: 'retryable',
      poison: 'deliveries',
    })
  })

  it('counts handler runs in all as turns times runs of a turn', () => {
    expect(maxRuns(resolve({ retry: { immediate: 2, delayed: { retries: 3 } } }))).toBe(12)
  })

  it('takes Infinity as no time limit', () => {
    expect(resolve({ timeout: Number.POSITIVE_INFINITY }).timeout).toBe(Number.POSITIVE_INFINITY)
  })

  it('leaves what is not said as in the base', () => {
    const base = resolve({ timeout: '5s', retry: { immediate: 7 } })
    expect(resolvePolicy({ maxDeliveryCount: 1 }, where, base)).toMatchObject({
      timeout: 5000,
      retry: { immediate: 7, delayed: { retries: 0 } },
    })
  })

  it.each([
    [{ first: '10m' }, 600_000, 600_000],
    [{ max: '500ms' }, 500, 500],
  ])('keeps first and max of a backoff in order when only one is given: %j', (backoff, first, max) => {
    expect(resolve({ retry: { delayed: { backoff } } }).retry.delayed.backoff).toMatchObject({ first, max })
  })
})

describe('resolvePolicy refuses', () => {
  it.each([
    [{ retry: { imediate: 2 } }, 'channel "orders": retry.imediate is not an option. Did you mean "immediate"?'],
    [{ timout: '1s' }, 'channel "orders": timout is not an option. Did you mean "timeout"?'],
    [{ retry: 3 }, 'channel "orders": retry is 3. Allowed: an object with immediate, delayed.'],
    [{ retry: { immediate: -1 } }, 'channel "orders": retry.immediate is -1. Allowed: a whole number from 0 to 1000.'],
    [{ retry: { delayed: { retries: 1.5 } } }, 'channel "orders": retry.delayed.retries is 1.5. Allowed: a whole number'],
    [{ retry: { delayed: { backoff: { first: 'soon' } } } }, 'channel "orders": retry.delayed.backoff.first is "soon"'],
    [{ retry: { delayed: { backoff: { kind: 'cubic' } } } }, 'retry.delayed.backoff.kind is "cubic". Allowed: "fixed", "linear"'],
    [
      { retry: { delayed: { backoff: { factor: 0.5 } } } },
      'retry.delayed.backoff.factor is 0.5. Allowed: a number from 1 to 100',
    ],
    [{ retry: { delayed: { backoff: { jitter: 2 } } } }, 'retry.delayed.backoff.jitter is 2. Allowed: a number from 0 to 1'],
    [{ retry: { delayed: { backoff: { first: '2m', max: '1m' } } } }, 'backoff.max is 60000. Allowed: at least channel "orders"'],
    [{ timeout: 0 }, 'channel "orders": timeout is 0. Allowed: a duration from 1ms to 24d.'],
    [{ timeout: '30d' }, 'channel "orders": timeout is "30d". Allowed: a duration from 1ms to 24d.'],
    [{ onTimeout: 'retry' }, 'channel "orders": onTimeout is "retry". Allowed: "permanent", "retryable".'],
    [{ poison: true }, 'channel "orders": poison is true. Allowed: "turns", "deliveries".'],
    [{ maxDeliveryCount: 0 }, 'channel "orders": maxDeliveryCount is 0. Allowed: a whole number from 1'],
  ])('%j', (options, message) => {
    expect(() => resolve(options)).toThrow(message)
  })

  it('maxDeliveryCount beside retry.delayed.retries, because they say the same thing', () => {
    expect(() => resolve({ maxDeliveryCount: 3, retry: { delayed: { retries: 2 } } })).toThrow(
      'channel "orders": maxDeliveryCount and channel "orders": retry.delayed.retries say the same thing',
    )
  })
})
