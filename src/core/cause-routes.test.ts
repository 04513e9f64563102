import { describe, expect, test } from 'vitest'
import { asksForHeaders, parseSplitRule, routeOf } from './cause-routes.ts'
import { letter } from './filter/filters.fixture.ts'

const splits = new Map([
  [
    1,
    [
      { cause: 1, into: 2, rule: parseSplitRule('service:till') },
      { cause: 1, into: 3, rule: parseSplitRule('service:t*') },
    ],
  ],
  [2, [{ cause: 2, into: 4, rule: parseSplitRule('-version:1.*') }]],
])

describe('a letter belongs to', () => {
  test.each([
    [1, { service: 'desk' }, 1],
    [1, { service: 'tram' }, 3],
    [1, { service: 'till', version: '1.2.0' }, 2],
    [1, { service: 'till', version: '2.0.0' }, 4],
    [3, { service: 'till' }, 3],
    [9, { service: 'till' }, 9],
  ])('from cause %i, with %j: cause %i', (start, facts, place) => {
    expect(routeOf(start, splits, letter(facts))).toBe(place)
  })
})

test.each(['channel:a OR header.x:y', '-"card declined" type:order.*', 'connection:shop source:dlq.*'])(
  '%j can be judged for ever',
  (rule) => {
    expect(asksForHeaders(parseSplitRule(rule))).toBe(rule.includes('header'))
  },
)

test.each(['', 'state:open', 'service:a OR age>1h', '-owner:ana', 'id:1', 'under:1', 'has:key', 'body:x', 'size>1'])(
  '%j cannot',
  (rule) => {
    expect(() => parseSplitRule(rule)).toThrow(expect.objectContaining({ code: 'bad-option' }))
  },
)
