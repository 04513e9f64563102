import { describe, expect, it } from 'vitest'
import { fits, type Matcher, readMatcher } from './matcher.ts'
import { raisedAlert } from './raised-alert.fixture.ts'

const alert = raisedAlert({
  subject: { source: 'shop', queue: 'dlq.orders', consumerGroup: 'billing', cause: 'c1' },
  labels: { owner: 'team-a' },
})
const is = (name: string, value: string): Matcher => ({ name, is: '=', value })

describe('a matcher', () => {
  it.each([
    ['rule', 'dlq.any'],
    ['type', 'dlq.any'],
    ['severity', 'critical'],
    ['fingerprint', alert.fingerprint],
    ['source', 'shop'],
    ['queue', 'dlq.orders'],
    ['group', 'billing'],
    ['cause', 'c1'],
    ['owner', 'team-a'],
  ])('knows an alert by its %s', (name, value) => {
    expect([fits([is(name, value)], alert), fits([is(name, `${value}x`)], alert)]).toEqual([true, false])
    const unlike = { name, is: '!=', value } as const
    expect([fits([unlike], alert), fits([{ ...unlike, value: 'x' }], alert)]).toEqual([false, true])
  })

  it('takes a star for any characters, and only where it was asked to', () => {
    expect(fits([{ name: 'queue', is: '=~', value: 'dlq.*' }], alert)).toBe(true)
    expect(fits([{ name: 'queue', is: '=~', value: 'dlx.*' }], alert)).toBe(false)
    expect(fits([is('queue', 'dlq.*')], alert)).toBe(false)
  })

  it('of what an alert does not have is compared with nothing', () => {
    expect([fits([is('team', '')], alert), fits([is('team', 'x')], alert)]).toEqual([true, false])
    expect(fits([is('constructor', 'x')], alert)).toBe(false)
  })

  it('has to fit with all others, and none at all fit nothing', () => {
    expect(fits([is('source', 'shop'), is('queue', 'dlq.orders')], alert)).toBe(true)
    expect(fits([is('source', 'shop'), is('queue', 'x')], alert)).toBe(false)
    expect(fits([], alert)).toBe(false)
  })
})

describe('a matcher as people write it', () => {
  it.each([
    ['queue=dlq.orders', { name: 'queue', is: '=', value: 'dlq.orders' }],
    ['queue!=a=b', { name: 'queue', is: '!=', value: 'a=b' }],
    ['queue=~dlq.*', { name: 'queue', is: '=~', value: 'dlq.*' }],
    ['cost-centre.x=1', { name: 'cost-centre.x', is: '=', value: '1' }],
    ['a=one\ntwo', { name: 'a', is: '=', value: 'one\ntwo' }],
    [`${'a'.repeat(100)}=${'b'.repeat(500)}`, { name: 'a'.repeat(100), is: '=', value: 'b'.repeat(500) }],
  ])('%j', (text, matcher) => {
    expect(readMatcher(text)).toEqual(matcher)
  })

  it.each(['', 'queue', 'queue=', '=x', 'a b=x', ' queue=x', `${'a'.repeat(101)}=x`, `a=${'b'.repeat(501)}`])(
    'refuses %j',
    (text) => {
      expect(() => readMatcher(text)).toThrow('is no matcher. Write name=value, name!=value or name=~value')
    },
  )

  it('says what was written, cut, and what there is', () => {
    expect(() => readMatcher('x'.repeat(200))).toThrow(
      `"${'x'.repeat(100)}" is no matcher. Write name=value, name!=value or name=~value with * for any characters; names are rule, type, severity, fingerprint, source, queue, group, cause and labels.`,
    )
    expect(() => readMatcher('')).toThrow(expect.objectContaining({ code: 'bad-option' }))
  })
})
