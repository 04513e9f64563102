import { describe, expect, it } from 'vitest'
import { type AlertBook, type AlertBookOptions, createAlertBook, type Moment, ruleKeyOf } from './alert-book.ts'
import { watchdog } from './default-rules.ts'
import type { Subject } from './identity.ts'
import { isOpen, type RaisedAlert } from './raised-alert.ts'
import type { Rule } from './rule.ts'
import type { Evidence, Sample, Values } from './sample.ts'
import { cause, only, orders } from './timeline.fixture.ts'

const minute = 60_000
const day = 24 * 60 * minute
const wall = Date.UTC(2030, 0, 1)
const moment = (now: number): Moment => ({ now, wallNow: wall + now })
const invoices = { source: 'shop', queue: 'dlq.invoices' }
const any = only('dlq.any').map((rule) => ({ ...rule, keepFiringFor: 0 }))
const [dlqAny] = any as [Rule]

function open(rules: readonly Rule[] = any, options: Partial<AlertBookOptions> = {}): AlertBook {
  return createAlertBook({ rules, alerts: [], outage: 0, moment: moment(0), ...options })
}

function look(book: AlertBook, values: Values, at = 0, subject: Subject = orders, evidence?: Evidence): readonly string[] {
  const sample: Sample = { subject, at, values, ...(evidence && { evidence }) }
  return book.look(sample, moment(at)).map(({ change, alert }) => `${change} ${alert.rule}`)
}

const fail = (book: AlertBook, at: number, subject: Subject = orders): readonly string[] =>
  book.look({ subject, at, failed: 'unreachable' }, moment(at)).map(({ change, alert }) => `${change} ${alert.rule}`)

const onlyAlert = (book: AlertBook): RaisedAlert => [...book.all()][0] as RaisedAlert

describe('a look', () => {
  it('raises, keeps and resolves, and tells each change once', () => {
    const book = open()
    const told = [0, 1, 2, 0, 0, 3].map((letters, at) => look(book, { letters }, at))
    expect(told).toEqual([[], ['fired dlq.any'], [], ['resolved dlq.any'], [], ['fired dlq.any']])
    expect(onlyAlert(book).state.episode).toBe(2)
  })

  it('makes no alert of a condition that does not hold', () => {
    const book = open()
    look(book, { letters: 0 })
    expect([...book.all()]).toEqual([])
    expect(book.changes().size).toBe(0)
  })

  it('is about the rules whose scope it is in', () => {
    const within = (scope: Rule['scope'], subject: Subject): boolean =>
      look(open([{ ...dlqAny, scope }]), { letters: 1 }, 0, subject).length === 1
    const full = { ...orders, consumerGroup: 'billing' }
    expect(within({ source: 's*', queue: 'dlq.*', consumerGroup: 'b*' }, full)).toBe(true)
    expect([{ source: 'x' }, { queue: 'x' }, { consumerGroup: 'x' }].map((scope) => within(scope, full))).toEqual([
      false,
      false,
      false,
    ])
    expect([
      within({ queue: '?*' }, { source: 'shop' }),
      within({ consumerGroup: 'b*' }, orders),
      within({}, { source: 'shop' }),
    ]).toEqual([...[false, false, true]])
  })

  it('says nothing to rules about what it does not hold', () => {
    const book = open(only('dlq.any', 'consumer.none', 'fail.ratio'))
    expect(look(book, { consumers: 0, handledTotal: 5 })).toEqual([])
    expect(look(book, { lag: 5 })).toEqual([])
    expect([...book.all()]).toEqual([])
  })

  it('forgets an alert that was only pending', () => {
    const book = open(only('dlq.count'))
    look(book, { letters: 500 })
    const { fingerprint } = onlyAlert(book)
    expect(book.changes().get(fingerprint)?.state.phase).toBe('pending')
    look(book, { letters: 0 }, 10)
    expect([[...book.all()], book.get(fingerprint), book.changes().get(fingerprint)]).toEqual([[], undefined, undefined])
    look(book, { letters: 500 }, 20)
    expect(onlyAlert(book).state).toEqual({ phase: 'pending', since: 20, episode: 0 })
  })

  it('of the control plane itself alone is for the watchdog', () => {
    expect(look(open([watchdog]), {}, 0, { source: '' })).toEqual(['fired watchdog'])
    expect(look(open([watchdog]), {}, 0, { source: '', sink: 'mail' })).toEqual([])
    expect(look(open([watchdog]), {}, 0, orders)).toEqual([])
  })
})

describe('a look that fails', () => {
  const asks = (noData: Rule['noData']): AlertBook => open([{ ...dlqAny, noData }])

  it('freezes what is there, and raises nothing', () => {
    const book = asks('unknown')
    expect(fail(book, 0)).toEqual([])
    look(book, { letters: 1 }, 1)
    expect(fail(book, 2)).toEqual([])
    expect(onlyAlert(book).state).toMatchObject({ phase: 'firing', unknownSince: 2 })
    look(book, { letters: 1 }, 3)
    expect(onlyAlert(book).state.unknownSince).toBeUndefined()
  })

  it('is what its rule says where somebody knows that there is something to look at', () => {
    const [fires, resolves] = [asks('fire'), asks('ok')]
    expect(fail(fires, 0)).toEqual([])
    look(fires, { letters: 0 }, 1)
    expect(fail(fires, 2)).toEqual(['fired dlq.any'])
    expect(onlyAlert(fires).figures).toEqual({ failure: 'unreachable' })
    look(resolves, { letters: 1 }, 1)
    expect(fail(resolves, 2)).toEqual(['resolved dlq.any'])
    expect(fail(resolves, 3, invoices)).toEqual([])
  })

  it('is counted by the rule about failing looks, of queues and of nothing else', () => {
    const book = open(only('probe.failed').filter(({ id }) => id === 'probe.failed'))
    expect([fail(book, 1), fail(book, 2), fail(book, 3)].flat()).toEqual(['fired probe.failed'])
    expect(look(book, { lag: 1 }, 4)).toEqual([])
    expect(look(book, { letters: 0 }, 5)).toEqual(['resolved probe.failed'])
  })
})

describe('what is known of an alert', () => {
  it('is who it is about, and when it began, was seen and changed', () => {
    const book = open()
    look(book, { letters: 1 }, 10)
    look(book, { letters: 2 }, 20)
    expect(onlyAlert(book)).toMatchObject({
      ...{ rule: 'dlq.any', type: 'dlq.any', severity: 'critical', subject: orders, labels: {}, ruleKey: ruleKeyOf(dlqAny) },
      ...{ firedAt: wall + 10, seenAt: wall + 20, changedAt: wall + 10, errors: [], correlationIds: [] },
      figures: { count: 2, previousCount: 1 },
    })
    look(book, { letters: 0 }, 30)
    expect(onlyAlert(book)).toMatchObject({ firedAt: wall + 10, seenAt: wall + 20, changedAt: wall + 30, figures: { count: 0 } })
    look(book, { letters: 1 }, 40)
    expect(onlyAlert(book)).toMatchObject({ firedAt: wall + 40, changedAt: wall + 40 })
  })

  it('are the classes of its errors and the last five ids, none of them twice, of this episode alone', () => {
    const book = open()
    const errors = [{ errorClass: 'patient Jane', count: 1, fingerprint: 'c' }]
    const ids = (...numbers: readonly number[]): Evidence => ({ correlationIds: numbers.map((n) => `id-${n}`) })
    look(book, { letters: 1 }, 1, orders, { ...ids(1, 2), errors })
    look(book, { letters: 1 }, 2, orders, ids(2, 3))
    look(book, { letters: 1 }, 3)
    expect(onlyAlert(book)).toMatchObject({
      correlationIds: ['id-1', 'id-2', 'id-3'],
      errors: [{ errorClass: 'Error', count: 1, fingerprint: 'c' }],
    })
    look(book, { letters: 1 }, 4, orders, ids(4, 5, 6))
    expect(onlyAlert(book).correlationIds).toEqual(['id-2', 'id-3', 'id-4', 'id-5', 'id-6'])
    look(book, { letters: 0 }, 5)
    look(book, { letters: 1 }, 6, orders, ids(9))
    expect(onlyAlert(book).correlationIds).toEqual(['id-9'])
  })

  it('counts changes once it has fired', () => {
    const book = open(only('dlq.count').filter(({ id }) => id === 'dlq.count'))
    look(book, { letters: 101 }, 0)
    expect(onlyAlert(book).flaps.checks).toBe('')
    look(book, { letters: 101 }, minute)
    fail(book, 2 * minute)
    expect(onlyAlert(book).flaps.checks).toBe('1')
    look(book, { letters: 0 }, 3 * minute)
    expect(onlyAlert(book).flaps.checks).toBe('10')
  })
})

describe('what has to be written down', () => {
  it('is every change, once', () => {
    const book = open()
    look(book, { letters: 1 }, 0)
    expect([...book.changes().values()]).toEqual([onlyAlert(book)])
    expect(book.changes().size).toBe(0)
  })

  it('are figures every ten seconds, while it is up', () => {
    const book = open()
    const written = (letters: number, at: number): boolean => {
      look(book, { letters }, at)
      return book.changes().size > 0
    }
    const begin = 100_000
    expect([0, 1, 9999, 10_000, 10_001].map((later) => written(1, begin + later))).toEqual([true, true, false, false, true])
    expect([written(2, begin + 20_000), written(3, begin + 20_001)]).toEqual([false, true])
    expect([written(0, begin + 30_000), written(0, begin + 50_000)]).toEqual([true, false])
  })

  it('is that an alert is forgotten thirty days after its end', () => {
    const book = open()
    look(book, { letters: 1 }, 0)
    look(book, { letters: 0 }, 1)
    book.changes()
    look(book, { letters: 0 }, 30 * day + 1)
    expect([...book.all()]).toHaveLength(1)
    look(book, { letters: 0 }, 30 * day + 2)
    expect([...book.all()]).toEqual([])
    expect([...book.changes().values()]).toEqual([undefined])
  })
})

describe('alerts of before', () => {
  const earlier = (letters: readonly number[], rules: readonly Rule[] = any): readonly RaisedAlert[] => {
    const book = open(rules)
    for (const [at, count] of letters.entries()) look(book, { letters: count }, at)
    return [...book.all()]
  }

  it('go on, and are written down when nobody watched for a while', () => {
    const alerts = earlier([1])
    const [now, later] = [open(any, { alerts }), open(any, { alerts, outage: 1 })]
    expect([[...now.all()], now.changes().size]).toEqual([alerts, 0])
    expect(later.changes().size).toBe(1)
    expect(look(now, { letters: 0 }, 5)).toEqual(['resolved dlq.any'])
  })

  it.each([
    ['its limit', { condition: { ...dlqAny.condition, limit: 5 } as Rule['condition'] }],
    ['its scope', { scope: { queue: 'dlq.*' } }],
    ['its source', { scope: { source: 's*' } }],
    ['its group', { scope: { consumerGroup: '*' } }],
    ['its time', { for: 5 }],
    ['its name', { id: 'other' }],
  ])('are over when %s is another one', (_, change) => {
    const book = open([{ ...dlqAny, ...change }], { alerts: earlier([1]), moment: moment(7) })
    expect(onlyAlert(book)).toMatchObject({
      state: { phase: 'ok', since: 7, episode: 1 },
      changedAt: wall + 7,
      flaps: { checks: '' },
    })
    expect(book.changes().size).toBe(1)
  })

  it('go on when anything else about their rule is another one', () => {
    const other = { severity: 'info', labels: { a: 'b' }, keepFiringFor: 9, runbook: 'x', noData: 'ok' } as const
    expect(onlyAlert(open([{ ...dlqAny, ...other }], { alerts: earlier([1]) })).state.phase).toBe('firing')
  })

  it('fire once when they come again under a rule that was edited since, and go on at the next start', () => {
    const edited = [{ ...dlqAny, for: 1, severity: 'warning', labels: { owner: 'b' } } as Rule]
    const book = open(edited, { alerts: earlier([1, 0]) })
    expect([look(book, { letters: 1 }, 5), look(book, { letters: 1 }, 6)]).toEqual([[], ['fired dlq.any']])
    const next = open(edited, { alerts: [...book.all()] })
    expect(onlyAlert(next).state).toMatchObject({ phase: 'firing', episode: 2 })
    expect(look(next, { letters: 1 }, 7)).toEqual([])
  })

  it('are what their rule is now, under the name that they have, and that is written down', () => {
    const edited = { ...dlqAny, type: 'dlq.count', severity: 'info', labels: { owner: 'b' } } as const
    const [before] = earlier([1]) as [RaisedAlert]
    const book = open([edited], { alerts: [before] })
    expect(onlyAlert(book)).toEqual({ ...before, type: 'dlq.count', severity: 'info', labels: { owner: 'b' } })
    expect([...book.changes().values()]).toEqual([onlyAlert(book)])
    const ended = open([{ ...edited, for: 5 }], { alerts: [before] })
    expect(onlyAlert(ended)).toMatchObject({
      severity: 'info',
      state: { phase: 'ok' },
      ruleKey: ruleKeyOf({ ...edited, for: 5 }),
    })
  })

  it('are kept when they were over, and dropped when they were only pending', () => {
    const over = open([], { alerts: earlier([1, 0]) })
    expect([onlyAlert(over).changedAt, over.changes().size]).toEqual([wall + 1, 0])
    const pending = open([], { alerts: earlier([500], only('dlq.count')) })
    expect([[...pending.all()], [...pending.changes().values()]]).toEqual([[], [undefined]])
  })

  it('that come and go are over with their rule, also while they are away', () => {
    const alerts = earlier(Array.from({ length: 21 }, (_, n) => (n + 1) % 2))
    const away = earlier([...Array.from({ length: 21 }, (_, n) => (n + 1) % 2), 0])
    expect([...alerts, ...away].map(({ state, flaps }) => [state.phase, flaps.isFlapping])).toEqual([
      ['firing', true],
      ['ok', true],
    ])
    expect([onlyAlert(open([], { alerts })), onlyAlert(open([], { alerts: away }))].map(isOpen)).toEqual([false, false])
  })

  it('have ten minutes to go when they were pending and nobody watched for long', () => {
    const rules = only('dlq.growth').map((rule) => ({ ...dlqAny, ...{ id: rule.id, for: 60 * minute } }))
    const alerts = earlier([1], rules)
    const at = 5 * 60 * minute
    const book = open(rules, { alerts, outage: at, moment: moment(at) })
    expect(onlyAlert(book).state.since).toBe(at - 50 * minute)
  })

  it('count on what was seen before', () => {
    const book = open(only('dlq.publish.failed'))
    book.recall({ subject: orders, at: 0, values: { publishFailedTotal: 1 } })
    book.recall({ subject: orders, at: 1, values: { publishFailedTotal: 2 } })
    expect([...book.all()]).toEqual([])
    expect(look(book, { publishFailedTotal: 2 }, 2)).toEqual(['fired dlq.publish.failed'])
  })
})

describe('what is not there any more', () => {
  const forget = (book: AlertBook, queue: string, at: number): readonly string[] =>
    book
      .forget(({ subject }) => subject.queue === queue, moment(at))
      .map(({ change, alert }) => `${change} ${alert.subject.queue}`)

  it('is over, and that is told if it was up', () => {
    const book = open()
    look(book, { letters: 1 }, 0)
    look(book, { letters: 1 }, 0, invoices)
    expect(forget(book, 'dlq.orders', 5)).toEqual(['resolved dlq.orders'])
    expect([...book.all()].map(({ state }) => state.phase)).toEqual(['ok', 'firing'])
    expect(forget(book, 'dlq.orders', 6)).toEqual([])
  })

  it('is over while it comes and goes, and that is told', () => {
    const book = open()
    for (let n = 0; n < 22; n++) look(book, { letters: (n + 1) % 2 }, n)
    expect(onlyAlert(book)).toMatchObject({ state: { phase: 'ok' }, flaps: { isFlapping: true } })
    expect(forget(book, 'dlq.orders', 30)).toEqual(['resolved dlq.orders'])
    expect(isOpen(onlyAlert(book))).toBe(false)
  })

  it('is dropped without a word if it was only pending', () => {
    const book = open(only('dlq.count'))
    look(book, { letters: 500 }, 0)
    expect(forget(book, 'dlq.orders', 5)).toEqual([])
    expect([...book.all()]).toEqual([])
  })
})

it('causes have alerts of their own', () => {
  const book = open(only('cause.new'))
  expect(look(book, { causeIsNew: 1 }, 0, cause)).toEqual(['fired cause.new'])
  expect(look(book, { causeIsNew: 1 }, 0, { ...cause, cause: 'c2' })).toEqual(['fired cause.new'])
})

it('a rule has a short name that is made of what makes it another rule', () => {
  expect(ruleKeyOf(dlqAny)).toMatch(/^[0-9a-f]{16}$/)
})
