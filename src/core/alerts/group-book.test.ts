import { describe, expect, it } from 'vitest'
import { defaultRules, watchdog } from './default-rules.ts'
import { groupKeyOf, nameOf } from './grouping.ts'
import { raisedAlert } from './raised-alert.fixture.ts'
import type { Routed } from './route.ts'
import type { Rule } from './rule.ts'
import { everySink, only, orders, type Play, play } from './timeline.fixture.ts'

const invoices = { source: 'shop', queue: 'dlq.invoices' }
const bills = { source: 'shop', queue: 'dlq.bills' }
const ofOrders = [{ name: 'queue', is: '=', value: 'dlq.orders' }] as const
const any = only('dlq.any').map((rule) => ({ ...rule, keepFiringFor: 0 }))
/** Not urgent, fires and ends at once. */
const mild: readonly Rule[] = any.map((rule) => ({ ...rule, id: 'mild', type: 'dlq.count', severity: 'warning' }))

describe('a group', () => {
  it('waits for others, and hurries when one of them is urgent', () => {
    const t = play({ rules: [...mild, ...any.map((rule) => ({ ...rule, scope: { queue: 'dlq.bills' } }))] })
    t.see({ letters: 1 })
    t.see({ letters: 1 }, invoices)
    t.pass('29s')
    expect(t.lines).toEqual([])
    t.see({ letters: 1 }, bills)
    expect(t.lines).toEqual(['29s first: dlq.any firing'])
    t.pass('1s')
    expect(t.lines.at(-1)).toBe('30s first: mild firing, mild firing, mild firing')
  })

  it('hurries for one urgent alert among others that fire at the same moment', () => {
    const both = any.flatMap((rule): Rule[] => [{ ...rule, id: 'slow', type: 'dlq.growth' }, rule])
    const t = play({ rules: both })
    t.see({ letters: 1 })
    expect(t.lines).toEqual(['0ms first: slow firing, dlq.any firing'])
  })

  it('has an episode that no group had before, and counts what it says', () => {
    const t = play({ rules: mild })
    t.looks('1m', '1 0*8 1 0*8')
    t.see({ letters: 1 }, { source: 'bank', queue: 'x' })
    t.pass('1m')
    const numbers = t.sayings.map(({ notification: { group } }) => [group.episode, group.sequence])
    expect(numbers.map(([, sequence]) => sequence)).toEqual([1, 2, 1, 2, 1])
    expect(new Set(numbers.map(([episode]) => episode)).size).toBe(3)
    expect(numbers.map(([episode]) => episode)).toEqual(numbers.map(([episode]) => episode).toSorted())
  })

  it('begun at one moment with another one is known apart from it', () => {
    const t = play({ rules: mild })
    t.seeAll({ letters: 1 }, [orders, { source: 'bank', queue: 'x' }])
    t.pass('1m')
    const [one = 0, other = 0] = t.sayings.map(({ notification }) => notification.group.episode)
    expect(other - one).toBe(1)
  })

  it('tells of those that were told, and of nobody else', () => {
    const t = play({ rules: mild })
    t.see({ letters: 1 })
    t.pass('1m')
    t.see({ letters: 1 }, invoices)
    t.see({ letters: 0 }, invoices)
    t.see({ letters: 0 })
    t.pass('10m')
    expect(t.lines).toEqual(['30s first: mild firing', '5m30s all-resolved: mild resolved'])
  })

  it("repeats itself when one of it is nobody's yet", () => {
    const t = play({ rules: mild })
    t.seeAll({ letters: 1 }, [orders, invoices])
    t.pass('1m')
    t.mark(undefined, { acknowledgedUntil: 0 }, '10h')
    t.pass('4h10m')
    expect(t.lines.at(-1)).toBe('4h30s repeat: mild firing, mild firing')
  })

  it('tells when a silence has left one of it, at once', () => {
    const t = play({ rules: mild })
    t.silence({ matchers: ofOrders }, '7m')
    t.seeAll({ letters: 1 }, [orders, invoices])
    t.pass('7m')
    t.pass('13m')
    expect(t.lines).toEqual(['30s first: mild firing', '7m new-alert: mild firing, mild firing'])
  })

  it('does not tell when a silence leaves one that is over', () => {
    const t = play({ rules: mild })
    t.silence({ matchers: ofOrders }, '7m')
    t.seeAll({ letters: 1 }, [orders, invoices])
    t.pass('1m')
    t.see({ letters: 0 })
    t.pass('20m')
    expect(t.lines).toEqual(['30s first: mild firing'])
  })

  it('does not tell of an urgent one that was over before anybody was told, when that was silenced', () => {
    const t = play({ rules: any })
    t.silence({ matchers: ofOrders }, '1h')
    t.see({ letters: 1 })
    t.see({ letters: 0 })
    t.pass('2h')
    expect(t.lines).toEqual([])
  })

  it('of more than twenty lists who is new and who is over before those that people know', () => {
    const t = play({ rules: mild })
    const queues = Array.from({ length: 25 }, (_, n) => ({ source: 'shop', queue: `q${n}` }))
    t.seeAll({ letters: 1 }, queues)
    t.pass('10m')
    t.see({ letters: 0 }, queues[3])
    t.see({ letters: 1 }, invoices)
    t.pass('10m')
    const { alerts, more, subject } = t.sayings.at(-1)?.notification ?? {}
    const listed = alerts?.map(({ queue, status }) => `${queue} ${status}`) ?? []
    expect([listed.length, listed[0], listed.at(-1), more]).toEqual([20, 'dlq.invoices firing', 'q3 resolved', 6])
    expect(subject).toMatch(/dlq\.invoices.* and 25 more$/)
  })

  it('goes to who takes any of it, also of those that are not listed', () => {
    const rules = mild.flatMap((rule): Rule[] => [rule, { ...rule, id: 'own', scope: { queue: 'dlq.invoices' } }])
    const t = play({ rules, sinks: [{ name: 'pager', takes: ({ rule }) => rule === 'own' }] })
    t.seeAll({ letters: 1 }, [...Array.from({ length: 25 }, (_, n) => ({ source: 'shop', queue: `q${n}` })), invoices])
    t.pass('1m')
    expect(t.sayings.map(({ sink, notification: { alerts, more } }) => [sink, alerts.length, more])).toEqual([['pager', 20, 7]])
  })

  it('of which nothing is left is gone', () => {
    const t = play({ rules: mild })
    t.see({ letters: 1 })
    t.see({ letters: 0 })
    t.pass('1m')
    t.restart()
    t.see({ letters: 1 })
    t.pass('29s')
    expect(t.lines).toEqual([])
    t.pass('1s')
    expect(t.lines).toEqual(['1m30s first: mild firing'])
  })

  it('is one for each source and severity, each cause, each sink, and the watchdog', () => {
    const key = (subject: object, changes: object = {}): string =>
      groupKeyOf(raisedAlert({ subject: { source: 'shop', ...subject }, ...changes }))
    expect(key({ queue: 'a' })).toBe('["source","shop","critical"]')
    expect(key({ queue: 'b' }, { severity: 'info' })).toBe('["source","shop","info"]')
    expect(key({ cause: 'c' })).toBe('["cause","shop","c"]')
    expect(key({ sink: 'mail', cause: 'c' })).toBe('["sink","mail"]')
    expect(key({}, { type: 'watchdog' })).toBe('["watchdog"]')
  })
})

it('news are one name: an urgent alert by its episode, others by themselves, and one that flaps as such', () => {
  const urgent = raisedAlert({ state: { phase: 'firing', since: 0, episode: 4 } })
  const flapping = { ...urgent, flaps: { ...urgent.flaps, isFlapping: true } }
  const usual = { ...urgent, severity: 'warning' } as const
  expect([urgent, usual, flapping].map(nameOf)).toEqual([`${urgent.fingerprint}.4`, urgent.fingerprint, `${urgent.fingerprint}~`])
})

it('the watchdog is told at once, and then every five minutes, whatever the timers are', () => {
  const t = play({ rules: [...defaultRules, watchdog], timers: { wait: 60_000, interval: 3_600_000, repeat: 24 * 3_600_000 } })
  t.see({}, { source: '' })
  t.pass('11m')
  expect(t.lines).toEqual(['0ms first: watchdog firing', '5m repeat: watchdog firing', '10m repeat: watchdog firing'])
})

it('a sink is told nothing of its own failure, also when its alert is gone', () => {
  const t = play({ rules: only('sink.failing'), sinks: [everySink, { name: 'pager', takes: () => true }] })
  t.see({ sinkFailingFor: 601_000 }, { source: '', sink: 'mail' })
  t.pass('1m')
  t.see({ sinkFailingFor: 0 }, { source: '', sink: 'mail' })
  t.pass('10m')
  expect(t.sayings.map(({ sink }) => sink)).toEqual(['pager', 'pager'])
})

describe('what is urgent', () => {
  it('is told at once, and within five seconds of the last time together', () => {
    const t = play({ rules: any })
    t.see({ letters: 1 })
    t.pass('1s')
    t.see({ letters: 1 }, invoices)
    t.pass('3s')
    t.see({ letters: 1 }, bills)
    t.pass('10s')
    t.see({ letters: 1 }, { source: 'shop', queue: 'dlq.late' })
    expect(t.lines).toEqual([
      '0ms first: dlq.any firing',
      '5s new-alert: dlq.any firing, dlq.any firing, dlq.any firing',
      '14s new-alert: 4 alerts firing',
    ])
  })

  it('and over before anybody was told is told, and one that is not urgent is not', () => {
    const t = play({ rules: [...any, ...mild.map((rule): Rule => ({ ...rule, type: 'dlq.growth', severity: 'critical' }))] })
    t.see({ letters: 1 })
    t.pass('1s')
    t.see({ letters: 1 }, invoices)
    t.see({ letters: 0 }, invoices)
    t.pass('10s')
    expect(t.lines.at(-1)).toBe('5s new-alert: dlq.any firing, mild firing, dlq.any resolved')
  })
})

describe('a silence', () => {
  it('over what was told is told to have ended, once', () => {
    const t = play({ rules: mild })
    t.seeAll({ letters: 1 }, [orders, invoices])
    t.pass('1m')
    t.silence({ matchers: ofOrders }, '10m')
    t.pass('9m')
    t.pass('1m')
    t.pass('30m')
    expect(t.lines).toEqual(['30s first: mild firing, mild firing', '11m silence-ended: mild firing, mild firing'])
  })

  it('that has not ended says nothing, although another one of its group has', () => {
    const t = play({ rules: mild })
    t.silence({ matchers: ofOrders }, '7m')
    t.silence({ matchers: [{ name: 'queue', is: '=', value: 'dlq.invoices' }] }, '20m')
    t.seeAll({ letters: 1 }, [orders, invoices])
    t.pass('6m')
    expect(t.lines).toEqual([])
    t.pass('1m')
    expect(t.lines).toEqual(['7m first: mild firing'])
  })
})

describe('a sink whose route takes a part of a group', () => {
  const [warning] = only('cause.new').map((rule) => ({ ...rule, keepFiringFor: 0 })) as [Rule]
  const [critical] = only('cause.regressed').map((rule) => ({ ...rule, keepFiringFor: 0 })) as [Rule]
  const pager = { name: 'pager', keepsState: true, takes: ({ severity }: Routed) => severity === 'critical' }
  const cause = { source: 'shop', cause: 'c1' }
  const begin = (): Play => {
    const t = play({ rules: [warning, critical], sinks: [pager] })
    t.see({ causeIsNew: 1, causeRegressed: 1 }, cause)
    t.pass('1m')
    return t
  }
  const told = (t: Play): readonly string[] =>
    t.sayings.map(({ notification: { status, reason, alerts } }) => [status, reason, ...alerts.map(({ rule }) => rule)].join(' '))

  it('is told when nothing of that part fires any more, also by who has been restarted', () => {
    const t = begin()
    t.restart()
    t.see({ causeIsNew: 1, causeRegressed: 0 }, cause)
    t.pass('10m')
    t.see({ causeIsNew: 0, causeRegressed: 0 }, cause)
    t.pass('10m')
    expect(told(t)).toEqual(['firing first cause.regressed cause.new', 'resolved all-resolved cause.regressed'])
  })

  it('is told of the end of the group when its own part went another way', () => {
    const t = begin()
    t.restart('1s', { rules: [warning, { ...critical, severity: 'warning' }] })
    t.see({ causeIsNew: 0, causeRegressed: 0 }, cause)
    t.pass('10m')
    expect(told(t)).toEqual(['firing first cause.regressed cause.new', 'resolved all-resolved cause.new cause.regressed'])
  })

  it('is told nothing of an end whose beginning was for others', () => {
    const t = play({ rules: [warning], sinks: [pager] })
    t.see({ causeIsNew: 1 }, cause)
    t.pass('1m')
    t.see({ causeIsNew: 0 }, cause)
    t.pass('10m')
    expect(t.sayings).toEqual([])
  })
})

it('what another alert speaks for is not told, and is when that is over', () => {
  const t = play({ rules: [...mild, ...only('broker.down')] })
  const broker = (failing: number): void =>
    t.see({ probedSources: 1, failingSources: failing, failuresInARow: 3 }, { source: 'shop' })
  broker(1)
  t.see({ letters: 1 })
  t.pass('4m')
  expect(t.lines).toEqual(['30s first: broker.down firing'])
  broker(0)
  t.pass('6m')
  expect(t.lines.slice(1)).toEqual(['5m30s all-resolved: broker.down resolved', '5m30s first: mild firing'])
})

describe('a restart', () => {
  it('keeps groups, what they told, and what is held back', () => {
    const t = play({ rules: only('cause.new') })
    for (let n = 0; n < 12; n++) t.see({ causeIsNew: 1 }, { source: 'shop', cause: `c${n}` })
    t.pass('1m')
    t.restart('1m')
    t.pass('20m')
    expect(t.lines.slice(10)).toEqual(['10m30s digest: cause.new firing, cause.new firing'])
    const digest = t.sayings.at(-1)
    expect([digest?.groupKey, digest?.sink]).toEqual(['digest mail', 'mail'])
    for (let n = 0; n < 12; n++) t.see({ causeIsNew: 0 }, { source: 'shop', cause: `c${n}` })
    t.restart('1m')
    t.pass('30m')
    const ended = t.sayings.slice(11).flatMap(({ notification }) => notification.alerts.map(({ status }) => status))
    expect(ended).toEqual(Array.from({ length: 12 }, () => 'resolved'))
  })

  it('with another severity tells the end under the old one, and goes on under the new one', () => {
    const t = play({ rules: mild })
    t.seeAll({ letters: 1 }, [orders, invoices])
    t.pass('1m')
    t.restart('1m', { rules: mild.map((rule) => ({ ...rule, severity: 'critical' })) })
    t.restart('1s')
    t.pass('20m')
    t.seeAll({ letters: 0 }, [orders, invoices])
    t.pass('20m')
    const told = t.sayings.map(({ groupKey, notification: { alerts, reason } }) => [groupKey, reason, alerts[0]?.severity])
    expect(told).toEqual([
      ['["source","shop","warning"]', 'first', 'WARNING'],
      ['["source","shop","critical"]', 'first', 'CRITICAL'],
      ['["source","shop","warning"]', 'all-resolved', 'WARNING'],
      ['["source","shop","critical"]', 'all-resolved', 'CRITICAL'],
    ])
  })

  it('with another severity says no word of an end that nobody heard the beginning of', () => {
    const t = play({ rules: any, timers: { wait: 30_000, interval: 300_000, repeat: 3_600_000 } })
    t.silence({ matchers: ofOrders }, '1s')
    t.see({ letters: 1 })
    t.restart('2s', { rules: any.map((rule) => ({ ...rule, severity: 'warning' })) })
    t.pass('10m')
    expect(t.lines).toEqual(['32s first: dlq.any firing'])
  })

  it('says nothing twice, and nothing of what has ended before', () => {
    const t = play({ rules: mild })
    t.looks('1m', '1 0*8')
    t.restart('1m')
    t.pass('5h')
    expect(t.lines).toEqual(['30s first: mild firing', '5m30s all-resolved: mild resolved'])
  })
})
