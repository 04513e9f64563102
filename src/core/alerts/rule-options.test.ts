import { describe, expect, it } from 'vitest'
import { defaultRules, watchdog } from './default-rules.ts'
import type { Rule } from './rule.ts'
import { baseIds, limitOf, ruleFrom, rulesFrom, scaledClear, type WrittenRule } from './rule-options.ts'

const minute = 60_000
const base = (id: string): Rule => [...defaultRules, watchdog].find((rule) => rule.id === id) as Rule
const conditionOf = (written: WrittenRule): object => ruleFrom(written).condition

describe('rules that people wrote', () => {
  it('are the defaults when they wrote none', () => {
    expect(rulesFrom([])).toEqual(defaultRules)
    expect(baseIds).toEqual([...defaultRules, watchdog].map(({ id }) => id))
  })

  it('change a default where it stands, switch it off, and stand behind the defaults where they are new', () => {
    const rules = rulesFrom([
      { id: 'dlq.any', severity: 'info' },
      { id: 'dlq.count', enabled: false },
      { id: 'own', like: 'dlq.count' },
      { id: 'off', like: 'dlq.count', enabled: false },
      { id: 'watchdog' },
    ])
    expect(rules.map(({ id }) => id)).toEqual([
      ...baseIds.filter((id) => id !== 'dlq.count' && id !== 'watchdog'),
      'own',
      'watchdog',
    ])
    expect(rules[0]).toEqual({ ...base('dlq.any'), severity: 'info' })
    expect(rules.at(-2)).toEqual({ ...base('dlq.count'), id: 'own' })
  })

  it('are like the default of the same id, or like the one that they name', () => {
    expect(ruleFrom({ id: 'dlq.any' })).toEqual(base('dlq.any'))
    expect(ruleFrom({ id: 'x', like: 'watchdog' })).toEqual({ ...watchdog, id: 'x' })
    expect(() => ruleFrom({ id: 'x' })).toThrow(`like is missing; name the rule that this one is like: ${baseIds.join(', ')}.`)
    expect(() => ruleFrom({ id: 'x', like: 'y' })).toThrow(expect.objectContaining({ code: 'bad-option' }))
  })

  it('may say everything anew that is no condition', () => {
    const written: WrittenRule = {
      id: 'dlq.any',
      severity: 'info',
      source: 's*',
      queue: 'q*',
      group: 'g*',
      for: '2m',
      keepFiringFor: '3m',
      noData: 'fire',
      labels: { owner: 'a' },
      runbook: 'https://wiki',
      correlationIds: false,
    }
    expect(ruleFrom(written)).toEqual({
      ...base('dlq.any'),
      ...{ severity: 'info', noData: 'fire', labels: { owner: 'a' }, runbook: 'https://wiki', correlationIds: false },
      scope: { source: 's*', queue: 'q*', consumerGroup: 'g*' },
      ...{ for: 2 * minute, keepFiringFor: 3 * minute },
    })
  })

  it.each(['for', 'keepFiringFor'] as const)('name %s when it is no duration', (option) => {
    expect(() => ruleFrom({ id: 'dlq.any', [option]: 'soon' })).toThrow(new RegExp(`^${option} `))
  })
})

describe('a limit', () => {
  it.each([
    ['dlq.any', 5, 5],
    ['dlq.any', '5', 5],
    ['dlq.any', '5.25', 5.25],
    ['dlq.growth', 7, 7],
    ['dlq.publish.failed', 3, 3],
    ['fail.ratio', 0.5, 0.5],
    ['fail.ratio', '5%', 0.05],
    ['fail.ratio', '100%', 1],
    ['fail.ratio', 1, 1],
    ['store.disk', '12.5%', 0.125],
    ['replay.loop', '30%', 0.3],
    ['dlq.retention', '60%', 0.6],
    ['dlq.oldest.age', '2h', 120 * minute],
    ['time.to.loss', '5m', 5 * minute],
    ['replay.stuck', '5m', 5 * minute],
    ['sink.failing', '5m', 5 * minute],
  ])('of %s as %j is %d', (id, limit, expected) => {
    expect(conditionOf({ id, limit })).toMatchObject({ limit: expected })
    expect(limitOf(id, limit)).toBe(expected)
  })

  it.each([
    ['dlq.any', '5%', 'a number from 0'],
    ['dlq.any', -1, 'a number from 0'],
    ['dlq.any', 'x5', 'a number from 0'],
    ['dlq.any', '5x', 'a number from 0'],
    ['dlq.any', '', 'a number from 0'],
    ['dlq.any', '1234567890123456', 'a number from 0'],
    ['dlq.any', '.5', 'a number from 0'],
    ['fail.ratio', 1.01, 'a share such as 0.05 or 5%'],
    ['fail.ratio', '101%', 'a share such as 0.05 or 5%'],
    ['fail.ratio', '5%%', 'a share such as 0.05 or 5%'],
  ])('of %s is not %j', (id, limit, allowed) => {
    expect(() => ruleFrom({ id, limit })).toThrow(`limit is ${JSON.stringify(limit)}. Allowed: ${allowed}.`)
  })

  it('of a duration is one', () => {
    expect(() => ruleFrom({ id: 'dlq.oldest.age', limit: '5%' })).toThrow(/^limit /)
  })

  it('of a rule that nobody knows is a number', () => {
    expect(limitOf('nobody', '5')).toBe(5)
    expect(() => limitOf('nobody', '5%')).toThrow('Allowed: a number from 0.')
  })

  it('moves the band below it along, unless that was written too', () => {
    expect(conditionOf({ id: 'dlq.count', limit: 50 })).toMatchObject({ limit: 50, clear: 40 })
    expect(conditionOf({ id: 'dlq.count', limit: 50, clear: 10 })).toMatchObject({ limit: 50, clear: 10 })
    expect(conditionOf({ id: 'dlq.count', clear: 90 })).toMatchObject({ limit: 100, clear: 90 })
    expect(conditionOf({ id: 'dlq.any', limit: 50 })).toEqual({ kind: 'level', of: 'letters', is: 'above', limit: 50 })
    expect(scaledClear(base('fail.ratio').condition, 5)).toEqual({})
  })

  it('is told by the option that it is about', () => {
    expect(() => ruleFrom({ id: 'dlq.count', clear: 'x' })).toThrow(/^clear is "x"/)
  })
})

describe('windows', () => {
  it('and the fewest samples are a ratio of', () => {
    expect(conditionOf({ id: 'fail.ratio', windows: ['30m', '1m'], minSamples: 7 })).toEqual({
      ...base('fail.ratio').condition,
      ...{ windows: [30 * minute, minute], minSamples: 7 },
    })
    expect(() => ruleFrom({ id: 'fail.ratio', windows: ['x'] })).toThrow(/^windows /)
  })
})

it.each([
  ['limit', 'consumer.none', { limit: 5 }],
  ['clear', 'fail.ratio', { clear: 5 }],
  ['windows', 'dlq.any', { windows: ['5m'] }],
  ['minSamples', 'dlq.any', { minSamples: 5 }],
])('%s is refused where a rule has none', (option, id, written) => {
  expect(() => ruleFrom({ id, ...written })).toThrow(`${option} is nothing that this rule has. Remove it.`)
  expect(() => ruleFrom({ id, ...written })).toThrow(expect.objectContaining({ code: 'bad-option' }))
})
