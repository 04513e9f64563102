import { describe, expect, it } from 'vitest'
import type { Subject } from './identity.ts'
import type { Figures } from './notification.ts'
import { type RuleType, ruleTypes } from './rule.ts'
import { headlineFor, ruleName, sentenceFor } from './sentences.ts'

const orders = { source: 'shop', queue: 'dlq.orders' }
const shop = { source: 'shop' }
const hour = 3_600_000

interface Row {
  readonly type: RuleType
  /** What an alert of this kind is about, and what its rule measured. */
  readonly subject: Subject
  readonly figures: Figures
  /** What whoever is called has to learn from the sentence: where it is, how much there is, and what the limit was. */
  readonly tells: readonly string[]
}

/** One alert of each kind, as the rules of docs/alerts.md would raise it. */
const alerts: readonly Row[] = [
  { type: 'dlq.any', subject: orders, figures: { count: 3, threshold: 0 }, tells: ['dlq.orders'] },
  { type: 'dlq.count', subject: orders, figures: { count: 150, threshold: 100 }, tells: ['150 messages', 'dlq.orders', '100'] },
  {
    type: 'dlq.growth',
    ...{ subject: orders, figures: { count: 90, threshold: 50, window: hour / 6 }, tells: ['dlq.orders', '50 messages', '10m'] },
  },
  { type: 'dlq.oldest.age', subject: orders, figures: { oldestAge: 25 * hour }, tells: ['dlq.orders', '1d1h old'] },
  { type: 'dlq.publish.failed', subject: orders, figures: { count: 4 }, tells: ['4 messages', 'dlq.orders', 'held'] },
  { type: 'fail.ratio', subject: orders, figures: { ratio: 0.063, threshold: 0.05 }, tells: ['6.3 %', 'dlq.orders', '5 %'] },
  { type: 'retry.ratio', subject: orders, figures: { ratio: 0.25, threshold: 0.1 }, tells: ['25 %', 'dlq.orders', '10 %'] },
  {
    type: 'error.spike',
    ...{ subject: orders, figures: { count: 21, window: hour / 12 }, tells: ['21 letters of one cause', 'dlq.orders', '5m'] },
  },
  { type: 'source.lag', subject: orders, figures: { count: 12_000 }, tells: ['12000 messages', 'dlq.orders'] },
  { type: 'consumer.none', subject: orders, figures: { count: 5 }, tells: ['Nobody consumes', 'dlq.orders', '5 messages'] },
  { type: 'consumer.vanished', subject: orders, figures: { count: 2 }, tells: ['2 consumers', 'dlq.orders'] },
  {
    type: 'probe.failed',
    subject: orders,
    figures: { failure: 'unreachable' },
    tells: ['dlq.orders', 'unreachable', 'Nobody knows'],
  },
  { type: 'broker.down', subject: shop, figures: { count: 50 }, tells: ['shop', '50 queues', 'Nobody knows'] },
  { type: 'probe.unsafe', subject: shop, figures: { count: 2 }, tells: ['2 settings', 'shop', 'redrive doctor'] },
  {
    type: 'cause.new',
    subject: { ...shop, cause: 'v1:3f2a5e0c99' },
    figures: {},
    tells: ['never seen before', 'shop', 'cause:3f2a5e0c'],
  },
  {
    type: 'cause.regressed',
    subject: { ...shop, cause: 'v1:3f2a5e0c99' },
    figures: {},
    tells: ['fixed', 'shop', 'cause:3f2a5e0c'],
  },
  { type: 'conservation.broken', subject: orders, figures: { count: 1 }, tells: ['dlq.orders', '1 letter'] },
  { type: 'time.to.loss', subject: orders, figures: { oldestAge: hour / 2 }, tells: ['dlq.orders', 'lost in 30m'] },
  { type: 'spool.not.empty', subject: orders, figures: { count: 8 }, tells: ['8 letters', 'dlq.orders', 'spool'] },
  { type: 'breaker.open', subject: orders, figures: {}, tells: ['dlq.orders', 'paused'] },
  { type: 'store.disk', subject: { source: '' }, figures: { ratio: 0.04, threshold: 0.05 }, tells: ['4 %', 'disk of the vault'] },
  { type: 'replay.stuck', subject: { source: '', replay: 12 }, figures: { oldestAge: hour / 10 }, tells: ['replay 12', '6m'] },
  { type: 'replay.loop', subject: { source: '', replay: 12 }, figures: { ratio: 0.6 }, tells: ['replay 12', '60 %'] },
  { type: 'replay.missed', subject: { source: '', replay: 12 }, figures: {}, tells: ['replay 12', 'A person'] },
  { type: 'sink.failing', subject: { source: '', sink: 'mail' }, figures: { oldestAge: hour / 4 }, tells: ['mail', '15m'] },
  { type: 'watchdog', subject: { source: '' }, figures: {}, tells: ['stopped'] },
]

describe('what people are told', () => {
  it('of letters in a dead-letter queue: the words of seed 000, which operators look for', () => {
    const { subject, figures } = alerts[0] as Row
    expect(headlineFor('dlq.any', 'firing', subject)).toBe('Poison message detected in DLQ dlq.orders')
    expect(sentenceFor('dlq.any', 'firing', subject, figures)).toBe(
      '1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.',
    )
  })

  it.each(alerts)('of $type: where, how much, and above which limit', ({ type, subject, figures, tells }) => {
    const sentence = sentenceFor(type, 'firing', subject, figures)
    for (const fact of tells) expect(sentence).toContain(fact)
  })

  it('of letters that can be counted and not be read: that, and with what', () => {
    expect(sentenceFor('probe.failed', 'firing', orders, { unread: 'refused' })).toBe(
      'Messages in Dead-Letter Queue dlq.orders cannot be read (refused). Those that come lie on its broker alone.',
    )
  })

  it('of every type of rule', () => {
    expect(alerts.map(({ type }) => type)).toEqual(ruleTypes)
  })

  it.each(alerts)('of $type: it is said otherwise that it is over, and where', ({ type, subject, figures }) => {
    const over = sentenceFor(type, 'resolved', subject, figures)
    expect(over).not.toBe(sentenceFor(type, 'firing', subject, figures))
    expect(headlineFor(type, 'resolved', subject)).not.toBe(headlineFor(type, 'firing', subject))
    if (subject.queue !== undefined) expect(over).toContain(subject.queue)
  })

  it('no two types say the same', () => {
    for (const status of ['firing', 'resolved'] as const) {
      expect(new Set(ruleTypes.map((type) => sentenceFor(type, status, orders, {}))).size).toBe(ruleTypes.length)
      expect(new Set(ruleTypes.map((type) => headlineFor(type, status, orders))).size).toBe(ruleTypes.length)
    }
    expect(new Set(ruleTypes.map(ruleName)).size).toBe(ruleTypes.length)
  })

  const known: Figures = { count: 1, threshold: 5, ratio: 0.5, window: hour, oldestAge: hour, failure: 'unreachable' }
  it.each([
    ['everything', known],
    ['many', { ...known, count: 7 }],
    ['nothing', {}],
  ])('in whole sentences, where %s is known', (_, figures: Figures) => {
    for (const { type, subject } of alerts) {
      for (const status of ['firing', 'resolved'] as const) {
        const sentence = sentenceFor(type, status, subject, figures)
        const name = [subject.queue, subject.sink, subject.replay && `replay ${subject.replay}`].find(Boolean)
        expect(sentence.startsWith(`${name} `) || /^[A-Z0-9]/.test(sentence), sentence).toBe(true)
        expect(sentence).toMatch(/[^.]\.$/)
        expect(sentence).not.toMatch(/undefined|NaN|\b1 \w+s\b(?! found)|\bthe an\b|\n/)
      }
    }
  })

  it('what is not known is never told as a 0, or as a moment', () => {
    const numbers = alerts.map(({ type, subject }) => sentenceFor(type, 'firing', { ...subject, queue: 'q' }, {}))
    for (const sentence of numbers) expect(sentence).not.toMatch(/\b0\b|\b1s\b/)
  })
})

describe('where something is', () => {
  const about = (subject: object): string => headlineFor('breaker.open', 'firing', { source: 'shop', ...subject })

  it.each([
    [{ queue: 'orders' }, 'Paused by its breaker: orders'],
    [{ queue: 'orders', consumerGroup: 'stock' }, 'Paused by its breaker: orders (group stock)'],
    [{}, 'Paused by its breaker: shop'],
    [{ replay: 4, queue: 'orders' }, 'Paused by its breaker: replay 4'],
    [{ sink: 'mail', replay: 4 }, 'Paused by its breaker: mail'],
    [{ source: '' }, 'Paused by its breaker:'],
  ])('%j', (subject, headline) => {
    expect(about(subject)).toBe(headline)
  })

  it('names as much of a cause as a filter needs', () => {
    expect(sentenceFor('cause.new', 'resolved', { ...orders, cause: 'v1:0123456789abcdef' }, {})).toMatch(
      / \(cause:01234567\)\.$/,
    )
  })
})

describe('numbers in sentences', () => {
  it('a share has one digit behind its point', () => {
    expect(sentenceFor('fail.ratio', 'firing', orders, { ratio: 0.0567, threshold: 0.0123 })).toContain(
      '5.7 % of the messages of dlq.orders were dead-lettered, more than 1.2 %',
    )
  })

  it('the share of retention has none', () => {
    expect(sentenceFor('dlq.oldest.age', 'firing', orders, { ratio: 0.756 })).toContain('has used 76 % of the time')
    expect(sentenceFor('dlq.oldest.age', 'firing', orders, { oldestAge: 90_000 })).toContain('is 1m30s old')
  })

  it('a span is told in seconds, and is at least one', () => {
    expect(sentenceFor('replay.stuck', 'firing', orders, { oldestAge: 1400 })).toContain('for 1s')
    expect(sentenceFor('replay.stuck', 'firing', orders, { oldestAge: 1600 })).toContain('for 2s')
    expect(sentenceFor('replay.stuck', 'firing', orders, { oldestAge: 1 })).toContain('for 1s')
  })
})
