import { describe, expect, test } from 'vitest'
import { defaultRules } from '../../../../src/core/alerts/default-rules.ts'
import type { Alert } from '../../api/alerts.ts'
import type { Rule } from '../../api/rules.ts'
import { holdsText, scopeText, spanText, triedWith, verdictText } from '../rules/rule.model.ts'
import { draftFrom, emptySilence, matchersFor, matcherText, searchFor, silenceOf } from '../silences/silence.model.ts'
import { inOrder, nextStep } from './alert.model.ts'

const alert = (more: Partial<Alert>): Alert =>
  ({ type: 'dlq.any', rule: 'dlq.any', source: 'shop', queue: null, cause: null, replay: null, sink: null, ...more }) as Alert

describe('an alert', () => {
  test('says where to look first, whatever it is about', () => {
    const steps = [
      alert({ queue: 'dlq orders' }),
      alert({ cause: 'v1:3f2a', queue: 'dlq' }),
      alert({ replay: 7 }),
      alert({ sink: 'mail' }),
      alert({ type: 'fail.ratio', queue: 'orders' }),
      alert({ type: 'broker.down' }),
      alert({ type: 'store.disk' }),
    ].map((each) => nextStep(each)?.to)
    expect(steps).toEqual([
      '/letters?filter=state%3Aopen+source%3A%22dlq+orders%22',
      '/letters?filter=state%3Aopen+cause%3A3f2a',
      '/replays/7',
      '/alerts/notifiers',
      '/consumers',
      '/sources',
      undefined,
    ])
  })
})

describe('alerts', () => {
  test('about a cause lead to it by its name, which a fingerprint is not', () => {
    const causes = [{ id: 4, fingerprint: 'v1:3f2a', title: 'Error: connect ECONNREFUSED <address>' }]
    const step = nextStep(alert({ cause: 'v1:3f2a' }), causes)
    expect(step).toEqual({ text: 'Error: connect ECONNREFUSED <address>', to: '/causes/4' })
    expect(nextStep(alert({ cause: 'v1:other' }), causes)?.text).toBe('Its letters')
  })

  test('stand with the worst first, and what nobody is told of behind what people are', () => {
    const alerts = [
      alert({ fingerprint: 'pending', phase: 'pending', severity: 'critical', firedAt: 9, mutedBy: null }),
      alert({ fingerprint: 'warning', phase: 'firing', severity: 'warning', firedAt: 8, mutedBy: null }),
      alert({ fingerprint: 'old', phase: 'firing', severity: 'critical', firedAt: 1, mutedBy: null }),
      alert({ fingerprint: 'new', phase: 'recovering', severity: 'critical', firedAt: 2, mutedBy: 'silence' }),
      alert({ fingerprint: 'spoken for', phase: 'firing', severity: 'warning', firedAt: 8, mutedBy: 'inhibition' }),
    ]
    const { first, rest } = inOrder(alerts)
    expect(first.map(({ fingerprint }) => fingerprint)).toEqual(['new', 'old', 'warning'])
    expect(rest.map(({ fingerprint }) => fingerprint)).toEqual(['pending', 'spoken for'])
  })
})

describe('a silence', () => {
  test('that begins with an alert means that alert and its like, by way of the address', () => {
    const matchers = matchersFor(alert({ queue: 'dlq=a&b' }))
    expect(matchers).toEqual(['rule=dlq.any', 'source=shop', 'queue=dlq=a&b'])
    expect(draftFrom(searchFor(matchers))).toEqual({ ...emptySilence, matchers: matchers.join('\n') })
    expect(matchersFor(alert({ source: '' }))).toEqual(['rule=dlq.any'])
    expect(draftFrom('')).toBeUndefined()
  })

  test('is sent as the API takes it, with its end from now on', () => {
    const draft = { matchers: ' queue=~dlq.* \n\nseverity!=info', lasts: '1h30m', reason: ' load test ', evenProtected: false }
    const silence = silenceOf(draft, 1000)
    expect(silence).toEqual({
      matchers: [
        { name: 'queue', is: '=~', value: 'dlq.*' },
        { name: 'severity', is: '!=', value: 'info' },
      ],
      ...{ endsAt: 1000 + 5_400_000, reason: 'load test', evenProtected: false },
    })
    expect('matchers' in silence && silence.matchers.map(matcherText)).toEqual(['queue=~dlq.*', 'severity!=info'])
  })

  test.each([
    [{ matchers: ' \n' }, /^Say which alerts are meant/],
    [{ reason: ' ' }, /^Say why/],
    [{ matchers: 'everything' }, /is no matcher/],
    [{ lasts: 'long' }, /not a duration/],
  ])('with %j says what is wrong', (wrong, told) => {
    const fine = { matchers: 'queue=a', lasts: '2h', reason: 'r', evenProtected: false }
    expect(silenceOf({ ...fine, ...wrong }, 0)).toEqual({ mistake: expect.stringMatching(told) })
  })
})

describe('a rule', () => {
  const rules = JSON.parse(JSON.stringify(defaultRules)) as readonly Rule[]
  const rule = (id: string): Rule => rules.find((each) => each.id === id) ?? rules[0] ?? ({} as Rule)

  test('says when it holds, for every rule there is', () => {
    expect(holdsText(rule('dlq.count'))).toBe('letters is above 100; clear below 80')
    expect(holdsText(rule('fail.ratio'))).toContain('above 1 % of handledTotal within 1h and within 5m')
    expect(rules.map(holdsText).filter((text) => text === '' || text.includes('undefined'))).toEqual([])
    expect([spanText(0), spanText(90_000)]).toEqual(['at once', '1m30s'])
  })

  test('says what it is about', () => {
    expect([scopeText({ scope: {} }), scopeText({ scope: { source: 'shop', queue: 'dlq.*' } })]).toEqual([
      'everything',
      'shop/dlq.*',
    ])
  })

  test('is tried with what was written, and with its own where nothing was', () => {
    expect(triedWith('dlq.count', { since: '1d', limit: '', lasting: '' }, 86_400_000)).toEqual({ since: 0 })
    expect(triedWith('fail.ratio', { since: '1d', limit: '5%', lasting: '5m' }, 86_400_000)).toEqual({
      ...{ since: 0, limit: 0.05, for: 300_000 },
    })
    expect(triedWith('dlq.count', { since: '1d', limit: 'many', lasting: '' }, 0)).toEqual({ mistake: expect.any(String) })
  })

  test('says in a sentence what came of it', () => {
    const fired = { at: 0, change: 'fired', subject: { source: '' }, figures: {} } as const
    expect(verdictText({ samples: 0, changes: [] })).toMatch(/^Nothing was seen/)
    expect(verdictText({ samples: 9, changes: [fired, { ...fired, change: 'resolved' }] })).toBe(
      'It would have fired once, by 9 looks.',
    )
    expect(verdictText({ samples: 9, changes: [] })).toBe('It would have fired 0 times, by 9 looks.')
  })
})
