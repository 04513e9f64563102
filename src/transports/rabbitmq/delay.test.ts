import { describe, expect, test } from 'vitest'
import { longestDelay } from './capabilities.ts'
import { delayNames, levels, routeFor, unit, unitsOf } from './delay.ts'

const names = delayNames('redrive')
const second = 1000
const delays = [1, 124, 125, 126, second, 1001, 7 * second, 59_999, 60_000, 3_600_000, 86_399_999, longestDelay]

describe('a delay', () => {
  test.each(delays)('of %i ms is never shortened, and is lengthened by no more than a sixteenth or one unit', (delay) => {
    const waited = unitsOf(delay) * unit
    expect(waited).toBeGreaterThanOrEqual(delay)
    expect(waited).toBeLessThanOrEqual(Math.max(delay + unit, delay * (1 + 1 / 16) + unit))
  })

  test.each(delays)('of %i ms takes at most five hops', (delay) => {
    const ones = [...unitsOf(delay).toString(2)].filter((digit) => digit === '1')
    expect(ones.length).toBeLessThanOrEqual(5)
  })

  test('that is a power of two of the unit is exact and takes one hop', () => {
    expect(unitsOf(8 * unit)).toBe(8)
    expect(routeFor(names, 'orders', 8 * unit)).toEqual({
      exchange: 'redrive.delay.03',
      routingKey: `${'0.'.repeat(levels - 4)}1.0.0.0.orders`,
      level: 3,
    })
  })

  test('enters at the level of its longest part', () => {
    const { exchange, routingKey } = routeFor(names, 'orders.eu', 5 * unit)
    expect(exchange).toBe('redrive.delay.02')
    expect(routingKey.split('.').slice(0, levels).join('')).toBe('101'.padStart(levels, '0'))
    expect(routingKey.endsWith('.orders.eu')).toBe(true)
  })

  test('of more than a week is refused, and so is a home that a routing key cannot name', () => {
    expect(() => routeFor(names, 'orders', longestDelay + 1)).toThrow(/longer than/)
    expect(() => routeFor(names, 'orders.#', second)).toThrow(/wildcard/)
    expect(() => routeFor(names, 'x'.repeat(240), second)).toThrow(/too long/)
  })

  test('of a week has a level', () => {
    expect(routeFor(names, 'orders', longestDelay).level).toBeLessThan(levels)
  })
})
