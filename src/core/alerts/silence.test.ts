import { describe, expect, it } from 'vitest'
import { raisedAlert } from './raised-alert.fixture.ts'
import { checkSilence, checkSpan, isProtected, type Silence, silences } from './silence.ts'

const matchers = [{ name: 'source', is: '=', value: 'shop' }] as const
const silence: Silence = { matchers, starts: 100, ends: 200, evenProtected: false }
const week = 7 * 24 * 3_600_000

describe('a silence', () => {
  it('begins when it starts and is over when it ends', () => {
    expect([99, 100, 199, 200].map((now) => silences(silence, raisedAlert(), now))).toEqual([false, true, true, false])
  })

  it('is about what fits, and nothing else', () => {
    expect(silences(silence, raisedAlert({ subject: { source: 'bank' } }), 150)).toBe(false)
  })

  it('is not about what must not be missed, unless that was asked for', () => {
    const failed = raisedAlert({ type: 'dlq.publish.failed' })
    expect(silences(silence, failed, 150)).toBe(false)
    expect(silences({ ...silence, evenProtected: true }, failed, 150)).toBe(true)
  })

  it.each([
    ['dlq.publish.failed', 'critical', true],
    ['dlq.publish.failed', 'info', true],
    ['store.disk', 'critical', true],
    ['store.disk', 'warning', false],
    ['dlq.any', 'critical', false],
  ] as const)('protects %s, %s: %s', (type, severity, expected) => {
    expect(isProtected({ type, severity })).toBe(expected)
  })
})

describe('what people may ask for', () => {
  const asked = (changes: object) => () => checkSilence({ matchers, reason: 'a move', span: 1000, ...changes })

  it('has a matcher, a reason and an end', () => {
    expect(asked({})).not.toThrow()
    expect(asked({ matchers: [] })).toThrow('A silence needs at least one matcher, such as queue=dlq.orders.')
    expect(asked({ reason: ' \n' })).toThrow('A silence needs a reason: whoever finds it in a month wants to know why.')
    expect(asked({ span: 0 })).toThrow('A silence needs an end that is still to come.')
    expect(asked({ reason: '' })).toThrow(expect.objectContaining({ code: 'bad-request' }))
  })

  it.each([
    [1, true],
    [week, true],
    [week + 1, false],
    [0, false],
    [-1, false],
    [Number.NaN, false],
  ])('lasts %s ms: %s', (span, isFine) => {
    const check = (): void => checkSpan(span)
    if (isFine) expect(check).not.toThrow()
    else expect(check).toThrow(span > week ? 'A silence lasts at most 7 days. Extend it when they are over.' : 'still to come')
  })
})
