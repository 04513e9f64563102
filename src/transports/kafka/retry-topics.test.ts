import { describe, expect, it } from 'vitest'
import { levelFor, levelsUpTo, retryLevels, retryTopic } from './retry-topics.ts'

describe('retry topics', () => {
  it('are named after the channel, the group and the level', () => {
    const names = levelsUpTo(5000).map((level) => retryTopic('orders', 'billing', level))
    expect(names).toEqual(['orders.billing.retry', 'orders.billing.retry-1s', 'orders.billing.retry-5s'])
  })

  it.each([
    [0, 1],
    [1, 2],
    [1000, 2],
    [1001, 3],
    [7 * 24 * 3_600_000, 10],
    [Number.POSITIVE_INFINITY, 10],
  ])('delays of up to %j ms need %j of them', (longest, count) => {
    expect(levelsUpTo(longest)).toHaveLength(count)
  })

  it.each([
    [0, 'retry'],
    [400, 'retry-1s'],
    [29_000, 'retry-30s'],
    [31_000, 'retry-2m'],
  ])('a delay of %j ms goes to %s', (delay, suffix) => {
    expect(levelFor(delay, retryLevels)?.suffix).toBe(suffix)
  })

  it('where the right level is missing, the longest that is there takes the record', () => {
    expect(levelFor(60_000, levelsUpTo(5000))?.suffix).toBe('retry-5s')
    expect(levelFor(60_000, [])).toBeUndefined()
  })
})
