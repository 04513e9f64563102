import { describe, expect, it } from 'vitest'
import { defaultRules, watchdog } from './default-rules.ts'
import { usualTimers } from './grouping.ts'
import type { Rule } from './rule.ts'
import { cause, everySink, only, orders, type Play, type PlayOptions, play } from './timeline.fixture.ts'

type Timeline = [name: string, options: PlayOptions, story: (play: Play) => void, told: readonly string[]]

const any = { rules: only('dlq.any') }
const count = { rules: only('dlq.count') }
const invoices = { source: 'shop', queue: 'dlq.invoices' }
const queue = (n: number) => ({ source: 'shop', queue: `dlq.${n}` })
const everything = [{ name: 'source', is: '=', value: 'shop' }] as const
const shop = { source: 'shop' }
const quick: Rule = { ...(only('dlq.any')[0] as Rule), id: 'quick', type: 'dlq.count', severity: 'warning', keepFiringFor: 0 }

const single: readonly Timeline[] = [
  ['a queue that stays empty: nothing', any, (t) => t.looks('1m', '0*60'), []],
  ['one letter: told at once, and once', any, (t) => t.looks('1m', '0*3 1*10'), ['3m first: dlq.any firing']],
  [
    'emptied: resolved when it has been empty for five minutes',
    any,
    (t) => t.looks('1m', '1 0*12'),
    ['0ms first: dlq.any firing', '10m all-resolved: dlq.any resolved'],
  ],
  [
    'filled again before five minutes have passed: still the same alert',
    any,
    (t) => t.looks('1m', '1 0*4 1 0*4 1 1'),
    ['0ms first: dlq.any firing'],
  ],
  [
    'filled again after it was resolved: a new episode, told at once',
    any,
    (t) => t.looks('1m', '1 0*12 1'),
    ['0ms first: dlq.any firing', '10m all-resolved: dlq.any resolved', '13m first: dlq.any firing'],
  ],
  ['a spike shorter than `for`: nothing', count, (t) => t.looks('30s', '0 101 101 0*10'), []],
  [
    'a spike as long as `for`: told after the wait of its group',
    count,
    (t) => t.looks('30s', '0 101*3 101*4'),
    ['2m first: dlq.count firing'],
  ],
  ['fired and resolved within the wait of its group: nothing', { rules: [quick] }, (t) => t.looks('10s', '1 0*60'), []],
  [
    'an urgent one that is over at once is told all the same',
    { rules: only('dlq.any').map((rule) => ({ ...rule, keepFiringFor: 0 })) },
    (t) => {
      t.looks('1s', '1')
      t.see({ letters: 0 })
      t.see({ letters: 1 }, invoices)
      t.see({ letters: 0 }, invoices)
      t.pass('20m')
    },
    ['0ms first: dlq.any firing', '5s new-alert: dlq.any resolved, dlq.any resolved'],
  ],
  [
    'oscillating between 99 and 101 with hysteresis: one fire and one resolve',
    count,
    (t) => {
      t.looks('30s', '101*5')
      t.looks('30s', `${'99 101 '.repeat(60)}79 79*20`)
    },
    ['1m30s first: dlq.count firing', '1h6m30s all-resolved: dlq.count resolved'],
  ],
  [
    'between the limit and the clearing limit: it neither fires nor is resolved',
    count,
    (t) => t.looks('1m', '100*5 81*5 101*3 81*30'),
    ['11m30s first: dlq.count firing'],
  ],
  [
    'below the clearing limit: resolved at the next turn of its group',
    count,
    (t) => t.looks('1m', '101*4 79*10'),
    ['1m30s first: dlq.count firing', '6m30s all-resolved: dlq.count resolved'],
  ],
  [
    'above a thousand: the critical one speaks, and the warning and dlq.any are inhibited',
    { rules: only('dlq.any', 'dlq.count') },
    (t) => t.looks('1m', '1001*20'),
    ['0ms first: dlq.any firing', '5m new-alert: dlq.count.critical firing'],
  ],
  [
    'unknown while it fires: not resolved, and its emptiness begins anew',
    any,
    (t) => t.looks('1m', '1 0*4 x 0*4 x*30'),
    ['0ms first: dlq.any firing'],
  ],
  [
    'unknown while it is pending: the time that nobody saw does not count',
    count,
    (t) => t.looks('30s', '101 x*10 101 101 101'),
    ['6m30s first: dlq.count firing'],
  ],
  [
    'three failed probes in a row: an alert of its own, resolved by the first that works',
    { rules: only('probe.failed') },
    (t) => t.looks('1m', '0 x*3 0*10'),
    ['3m30s first: probe.failed firing', '8m30s all-resolved: probe.failed resolved'],
  ],
  ['two failed probes: nothing', { rules: only('probe.failed') }, (t) => t.looks('1m', '0 x*2 0 x*2 0'), []],
  [
    'probes that fail for ten minutes: critical, which speaks for the warning',
    { rules: only('probe.failed') },
    (t) => t.looks('1m', 'x*20'),
    ['2m30s first: probe.failed firing', '12m30s first: probe.failed.critical firing'],
  ],
  [
    'a probe that fails keeps the counts of its queue quiet',
    { rules: only('dlq.count', 'probe.failed') },
    (t) => {
      t.looks('10s', '101*7')
      t.looks('5s', 'x*30')
    },
    ['1m30s first: probe.failed firing'],
  ],
  [
    'noData fire: a look that fails is as good as the worst',
    { rules: only('dlq.any').map((rule) => ({ ...rule, noData: 'fire' as const })) },
    (t) => t.looks('1m', '0 x*3'),
    ['1m first: dlq.any firing'],
  ],
  [
    'noData ok: a look that fails is as good as the best',
    { rules: only('dlq.any').map((rule) => ({ ...rule, noData: 'ok' as const })) },
    (t) => t.looks('1m', '1 x*12'),
    ['0ms first: dlq.any firing', '10m all-resolved: dlq.any resolved'],
  ],
  [
    'it goes on for ten hours: repeated every four',
    any,
    (t) => t.looks('1m', '1*600'),
    ['0ms first: dlq.any firing', '4h repeat: dlq.any firing', '8h repeat: dlq.any firing'],
  ],
  [
    'critical ones repeated sooner: every hour, and a warning as ever',
    { rules: [...only('dlq.any'), quick], timers: { ...usualTimers, repeatCritical: 3_600_000 } },
    (t) => {
      t.see({ letters: 1 })
      t.pass('2h30m')
    },
    ['0ms first: dlq.any firing', '30s first: quick firing', '1h repeat: dlq.any firing', '2h repeat: dlq.any firing'],
  ],
]

const grouped: readonly Timeline[] = [
  [
    'a second alert within the wait of its group: one message',
    count,
    (t) => {
      t.looks('30s', '101*3')
      t.see({ letters: 101 }, invoices)
      t.pass('60s')
      t.see({ letters: 101 }, invoices)
      t.pass('4m')
    },
    ['1m30s first: dlq.count firing', '6m30s new-alert: dlq.count firing, dlq.count firing'],
  ],
  [
    'five thousand queues at once: one message for each severity',
    { rules: only('dlq.any', 'dlq.count') },
    (t) => {
      const queues = Array.from({ length: 5000 }, (_, n) => queue(n))
      t.seeAll({ letters: 101 }, queues)
      t.pass('60s')
      t.seeAll({ letters: 101 }, queues)
      t.pass('3m')
    },
    ['0ms first: 5000 alerts firing', '1m30s first: 5000 alerts firing'],
  ],
  [
    'one of two is resolved: told with the other, at the next turn',
    any,
    (t) => {
      t.see({ letters: 1 })
      t.see({ letters: 1 }, invoices)
      t.pass('1m')
      t.looks('1m', '0*12')
    },
    [
      '0ms first: dlq.any firing',
      '5s new-alert: dlq.any firing, dlq.any firing',
      '10m5s resolved: dlq.any firing, dlq.any resolved',
    ],
  ],
  [
    'two causes are two groups',
    { rules: only('cause.new') },
    (t) => {
      t.see({ causeIsNew: 1 }, { ...shop, cause: 'c1' })
      t.see({ causeIsNew: 1 }, { ...shop, cause: 'c2' })
      t.pass('1m')
    },
    ['30s first: cause.new firing', '30s first: cause.new firing'],
  ],
  [
    'the spike of a new cause comes with the cause in one message',
    { rules: only('cause.new', 'error.spike') },
    (t) => {
      t.see({ causeIsNew: 1, causeLettersTotal: 0 }, cause)
      t.pass('10s')
      t.see({ causeIsNew: 1, causeLettersTotal: 4000 }, cause)
      t.pass('1m')
    },
    ['30s first: cause.new firing, error.spike firing'],
  ],
  [
    'eleven groups in ten minutes: ten messages, and the rest in a summary',
    { rules: only('cause.new') },
    (t) => {
      for (let n = 0; n < 14; n++) t.see({ causeIsNew: 1 }, { ...shop, cause: `c${n}` })
      t.pass('20m')
    },
    [...Array.from({ length: 10 }, () => '30s first: cause.new firing'), '10m30s digest: 4 alerts firing'],
  ],
  [
    'of what is held back of one group, every end is told, and not only how it stands last',
    { rules: only('cause.new', 'dlq.count').map((rule) => ({ ...rule, for: 0 })), timers: { ...usualTimers, interval: 60_000 } },
    (t) => {
      t.see({ letters: 101 }, queue(1))
      t.pass('30s')
      for (let n = 0; n < 9; n++) t.see({ causeIsNew: 1 }, { ...shop, cause: `c${n}` })
      t.pass('30s')
      t.see({ letters: 101 }, queue(2))
      t.see({ letters: 0 }, queue(1))
      t.pass('1m')
      t.see({ letters: 0 }, queue(2))
      t.pass('10m')
    },
    [
      '30s first: dlq.count firing',
      ...Array.from({ length: 9 }, () => '1m first: cause.new firing'),
      '10m30s digest: dlq.count resolved, dlq.count resolved',
    ],
  ],
  [
    'who keeps what fires until it hears of its end gets everything, and no summary',
    { rules: only('cause.new'), sinks: [{ ...everySink, keepsState: true }] },
    (t) => {
      for (let n = 0; n < 14; n++) t.see({ causeIsNew: 1 }, { ...shop, cause: `c${n}` })
      t.pass('20m')
    },
    Array.from({ length: 14 }, () => '30s first: cause.new firing'),
  ],
  [
    'a critical one that is news passes when there have been too many',
    { rules: only('cause.new', 'dlq.any') },
    (t) => {
      for (let n = 0; n < 12; n++) t.see({ causeIsNew: 1 }, { ...shop, cause: `c${n}` })
      t.pass('1m')
      t.see({ letters: 1 })
    },
    [...Array.from({ length: 10 }, () => '30s first: cause.new firing'), '1m first: dlq.any firing'],
  ],
  [
    'a sink that fails is told to the others, and not to itself',
    { rules: only('sink.failing'), sinks: [everySink, { name: 'pager', takes: () => true }] },
    (t) => {
      t.see({ sinkFailingFor: 601_000 }, { source: '', sink: 'mail' })
      t.pass('1m')
    },
    ['30s pager first: sink.failing firing'],
  ],
  [
    'routes: only who takes it is told',
    {
      ...any,
      sinks: [
        everySink,
        { name: 'pager', takes: ({ severity }) => severity === 'critical' },
        { name: 'chat', takes: () => false },
      ],
    },
    (t) => t.looks('1m', '1'),
    ['0ms mail first: dlq.any firing', '0ms pager first: dlq.any firing'],
  ],
  [
    'the watchdog: at once, and every five minutes',
    { rules: [watchdog] },
    (t) => {
      t.see({}, { source: '' })
      t.pass('11m')
    },
    ['0ms first: watchdog firing', '5m repeat: watchdog firing', '10m repeat: watchdog firing'],
  ],
  [
    'the broker is down: one message, and its fifty sources are quiet',
    { rules: only('probe.failed', 'broker.down', 'dlq.any') },
    (t) => {
      for (let round = 1; round <= 3; round++) {
        for (let n = 0; n < 50; n++) t.fail(queue(n))
        t.see({ probedSources: 50, failingSources: 50, failuresInARow: round }, shop)
        t.pass('5s')
      }
      t.pass('10m')
      for (let n = 0; n < 50; n++) t.see({ letters: 0 }, queue(n))
      t.see({ probedSources: 50, failingSources: 0, failuresInARow: 0 }, shop)
      t.pass('10m')
    },
    ['40s first: broker.down firing', '10m40s all-resolved: broker.down resolved'],
  ],
  [
    'a letter that cannot be written is told even while the broker is down',
    { rules: only('broker.down', 'dlq.publish.failed') },
    (t) => {
      t.see({ publishFailedTotal: 0 })
      t.see({ probedSources: 1, failingSources: 1, failuresInARow: 3 }, shop)
      t.pass('1m')
      t.see({ publishFailedTotal: 1 })
    },
    ['30s first: broker.down firing', '1m new-alert: dlq.publish.failed firing, broker.down firing'],
  ],
]

const quieted: readonly Timeline[] = [
  [
    'one of a group is over while another one is muted: told, although the other one is not over',
    { rules: only('dlq.count').map((rule) => ({ ...rule, for: 0 })) },
    (t) => {
      t.seeAll({ letters: 101 }, [orders, invoices])
      t.pass('1m')
      t.see({ letters: 2000 }, invoices)
      t.see({ letters: 0 })
      t.pass('20m')
    },
    [
      '30s first: dlq.count firing, dlq.count firing',
      '1m30s first: dlq.count.critical firing',
      '5m30s resolved: dlq.count resolved',
    ],
  ],
  [
    'silenced before it fires: nothing; when the silence ends and it still fires: told once',
    any,
    (t) => {
      t.silence({ matchers: everything }, '30m')
      t.looks('1m', '1*60')
    },
    ['30m first: dlq.any firing'],
  ],
  [
    'silenced after it was told, and still firing at the end: told once more',
    any,
    (t) => {
      t.looks('1m', '1')
      t.silence({ matchers: everything }, '30m')
      t.looks('1m', '1*60')
    },
    ['0ms first: dlq.any firing', '31m silence-ended: dlq.any firing'],
  ],
  [
    'over while it was silenced, and never told: nothing',
    any,
    (t) => {
      t.silence({ matchers: everything }, '30m')
      t.looks('1m', '1 0*60')
    },
    [],
  ],
  [
    'told, then silenced, then over: told to be over',
    any,
    (t) => {
      t.looks('1m', '1')
      t.silence({ matchers: everything }, '30m')
      t.looks('1m', '0*20')
    },
    ['0ms first: dlq.any firing', '10m all-resolved: dlq.any resolved'],
  ],
  [
    'a silence for one queue says nothing about another',
    any,
    (t) => {
      t.silence({ matchers: [{ name: 'queue', is: '=~', value: 'dlq.ord*' }] }, '30m')
      t.see({ letters: 1 })
      t.pass('1m')
      t.see({ letters: 1 }, invoices)
      t.pass('1m')
    },
    ['1m first: dlq.any firing'],
  ],
  [
    'letters that cannot be written are not silenced without a word about it',
    { rules: only('dlq.publish.failed') },
    (t) => {
      t.see({ publishFailedTotal: 0 })
      t.silence({ matchers: everything }, '30m')
      t.pass('1m')
      t.see({ publishFailedTotal: 1 })
    },
    ['1m first: dlq.publish.failed firing'],
  ],
  [
    'and are silenced with one',
    { rules: only('dlq.publish.failed') },
    (t) => {
      t.see({ publishFailedTotal: 0 })
      t.silence({ matchers: everything, evenProtected: true }, '30m')
      t.pass('1m')
      t.see({ publishFailedTotal: 1 })
    },
    [],
  ],
  [
    'a maintenance window, by the clock of its time zone',
    {
      ...any,
      windows: [
        { name: 'lunch', matchers: [...everything], days: ['wed'], from: 13 * 60, to: 14 * 60, timeZone: 'Europe/Berlin' },
      ],
    },
    (t) => t.looks('1m', '1*90'),
    ['1h first: dlq.any firing'],
  ],
  [
    'acknowledged: not repeated until that ends, and still told to be over',
    any,
    (t) => {
      t.looks('1m', '1')
      t.mark(undefined, { acknowledgedBy: 'ana', acknowledgedUntil: 0 }, '6h')
      t.looks('1m', '1*400 0*12')
    },
    ['0ms first: dlq.any firing', '6h5m repeat: dlq.any firing', '6h50m all-resolved: dlq.any resolved'],
  ],
  [
    'acknowledged, over, and back again: the next episode is told',
    any,
    (t) => {
      t.looks('1m', '1')
      t.mark(undefined, { acknowledgedBy: 'ana', acknowledgedUntil: 0 }, '6h')
      t.looks('1m', '0*15 1')
    },
    ['0ms first: dlq.any firing', '10m all-resolved: dlq.any resolved', '16m first: dlq.any firing'],
  ],
  [
    'snoozed: nothing until that ends, then told once more',
    any,
    (t) => {
      t.looks('1m', '1')
      t.mark(undefined, { snoozedBy: 'ana', snoozedUntil: 0 }, '1h')
      t.looks('1m', '1*120')
    },
    ['0ms first: dlq.any firing', '1h1m silence-ended: dlq.any firing'],
  ],
  [
    'an alert that comes and goes: told to flap, then nothing, then how it settled',
    { rules: [quick] },
    (t) => {
      t.looks('1m', '1 0 '.repeat(30))
      t.looks('1m', '0*40')
    },
    [
      '30s first: quick firing',
      '5m30s all-resolved: quick resolved',
      '6m30s first: quick flapping firing',
      '1h16m30s all-resolved: quick resolved',
    ],
  ],
  [
    'an alert that comes and goes, and stays in the end: told to flap, and that it has settled',
    { rules: [quick] },
    (t) => {
      t.looks('1m', '1 0 '.repeat(30))
      t.looks('1m', '1*40')
    },
    [
      '30s first: quick firing',
      '5m30s all-resolved: quick resolved',
      '6m30s first: quick flapping firing',
      '1h16m30s settled: quick firing',
    ],
  ],
]

const interrupted: readonly Timeline[] = [
  [
    'a restart while it is pending: the time before it counts',
    count,
    (t) => {
      t.looks('30s', '101')
      t.restart('10s')
      t.looks('30s', '101*5')
    },
    ['1m40s first: dlq.count firing'],
  ],
  [
    'a restart while it fires: nothing is told again',
    any,
    (t) => {
      t.looks('1m', '1*3')
      t.restart('5m')
      t.looks('1m', '1*10')
    },
    ['0ms first: dlq.any firing'],
  ],
  [
    'a restart while it fires, and over meanwhile: resolved once, after five minutes that somebody saw',
    any,
    (t) => {
      t.looks('1m', '1*3')
      t.restart('30m')
      t.looks('1m', '0*12')
    },
    ['0ms first: dlq.any firing', '43m all-resolved: dlq.any resolved'],
  ],
  [
    'a restart after two hours while it is pending: at least so much of `for` is still to go',
    { rules: only('dlq.count').map((rule) => ({ ...rule, for: 3 * 3_600_000 })) },
    (t) => {
      t.looks('30m', '101*4')
      t.restart('2h')
      t.looks('1m', '101*15')
    },
    ['4h10m30s first: dlq.count firing'],
  ],
  [
    'a restart within the wait of its group: the wait goes on',
    count,
    (t) => {
      t.looks('30s', '101*2')
      t.see({ letters: 101 })
      t.pass('10s')
      t.restart()
      t.looks('30s', '101*3')
    },
    ['1m30s first: dlq.count firing'],
  ],
  [
    'a restart while it is silenced: still told once when the silence ends',
    any,
    (t) => {
      t.looks('1m', '1')
      t.silence({ matchers: everything }, '30m')
      t.looks('1m', '1*10')
      t.restart()
      t.looks('1m', '1*30')
    },
    ['0ms first: dlq.any firing', '31m silence-ended: dlq.any firing'],
  ],
  [
    'a restart while a probe fails: one more failure is no recovery',
    { rules: only('probe.failed') },
    (t) => {
      t.looks('1m', 'x*5')
      t.restart('1m')
      t.looks('1m', 'x*10')
    },
    ['2m30s first: probe.failed firing', '12m30s first: probe.failed.critical firing'],
  ],
  [
    'the wall clock goes back forty days: no duration changes',
    any,
    (t) => {
      t.looks('1m', '1*2 0*2')
      t.jump(-40 * 24 * 3_600_000)
      t.looks('1m', '0*12')
    },
    ['0ms first: dlq.any firing', '10m all-resolved: dlq.any resolved'],
  ],
  [
    'the wall clock goes back forty days while a silence lasts: it ends when it was to end',
    any,
    (t) => {
      t.silence({ matchers: everything }, '30m')
      t.looks('1m', '1*5')
      t.jump(-40 * 24 * 3_600_000)
      t.looks('1m', '1*60')
    },
    ['30m first: dlq.any firing'],
  ],
  [
    'the rule is edited: what the old one said is over, and the new one judges for itself',
    count,
    (t) => {
      t.looks('1m', '150*5')
      const stricter = only('dlq.count').map((rule) => ({
        ...rule,
        condition: { ...rule.condition, limit: 200, clear: 160 } as Rule['condition'],
      }))
      t.restart('0s', { rules: stricter })
      t.looks('1m', '150*10')
    },
    ['1m30s first: dlq.count firing', '6m30s all-resolved: dlq.count resolved'],
  ],
  [
    'the runbook of the rule is edited: nothing begins anew',
    count,
    (t) => {
      t.looks('1m', '150*5')
      t.restart('0s', { rules: only('dlq.count').map((rule) => ({ ...rule, runbook: 'https://wiki.example/dlq' })) })
      t.looks('1m', '150*10')
    },
    ['1m30s first: dlq.count firing'],
  ],
  [
    'the source is taken out of the configuration: its alert is over',
    any,
    (t) => {
      t.looks('1m', '1*2')
      t.forget(orders)
      t.pass('10m')
    },
    ['0ms first: dlq.any firing', '5m all-resolved: dlq.any resolved'],
  ],
]

describe.each([
  ['one alert', single],
  ['many alerts', grouped],
  ['alerts that somebody does not want to hear of', quieted],
  ['alerts in a world that stops and jumps', interrupted],
])('the timeline of %s', (_, timelines) => {
  it.each(timelines)('%s', (__, options, story, told) => {
    const timeline = play(options)
    story(timeline)
    expect(timeline.lines).toEqual(told)
  })
})

it('a group of which somebody who is muted still fires is not over', () => {
  const t = play({ rules: only('dlq.count').map((rule) => ({ ...rule, for: 0 })) })
  t.seeAll({ letters: 101 }, [orders, invoices])
  t.pass('1m')
  t.see({ letters: 2000 }, invoices)
  t.see({ letters: 0 })
  t.pass('10m')
  t.see({ letters: 0 }, invoices)
  t.pass('10m')
  const warnings = t.sayings.filter(({ groupKey }) => groupKey.includes('warning'))
  expect(warnings.map(({ notification: { status } }) => status)).toEqual(['firing', 'firing', 'resolved'])
})

it('10,000 letters of 3 causes within a minute: at most one notification for each cause and rule, and resolves', () => {
  const t = play({ rules: defaultRules })
  for (let second = 0; second <= 60; second += 5) {
    const letters = Math.round((10_000 * second) / 60)
    t.see({ letters, deadLetteredTotal: letters, handledTotal: letters * 2 })
    for (const name of ['c1', 'c2', 'c3']) t.see({ causeIsNew: 1, causeLettersTotal: letters / 3 }, { ...shop, cause: name })
    t.pass('5s')
  }
  t.looks('1m', '10000*20')
  const firing = t.sayings.filter(({ notification }) => notification.status === 'firing')
  const pairs = new Set(
    firing.flatMap(({ notification }) => notification.alerts.map(({ rule, cause: name }) => `${rule} ${name}`)),
  )
  expect(firing.length).toBeLessThanOrEqual(pairs.size)
})
