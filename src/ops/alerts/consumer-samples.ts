import type { Subject } from '../../core/alerts/identity.ts'
import { subjectKey } from '../../core/alerts/identity.ts'
import type { RuleType } from '../../core/alerts/rule.ts'
import type { Values } from '../../core/alerts/sample.ts'
import type { Vault } from '../../vault/vault.ts'
import type { ChannelStatus, ConsumerStatus } from '../control-plane.ts'
import type { AlertEngine } from './alert-engine.ts'
import type { Report, Sampler } from './report.ts'

type Counts = ChannelStatus['counts']

const counted = ['received', 'deadLettered', 'retried', 'publishFailures'] as const satisfies readonly (keyof Counts)[]

interface Seen {
  readonly consumer: ConsumerStatus
  readonly channel: ChannelStatus
}

/** Whose alerts name a service where others name a connection. */
export const aboutConsumers: ReadonlySet<RuleType> = new Set<RuleType>([
  'consumer.vanished',
  'spool.not.empty',
  'breaker.open',
  'dlq.publish.failed',
  'fail.ratio',
  'retry.ratio',
])

type Totals = Record<(typeof counted)[number], number>
const nothing: Totals = { received: 0, deadLettered: 0, retried: 0, publishFailures: 0 }

/** After a longer time than this nobody can say when it was that they counted. */
const longestGap = 3_600_000

/**
 * What consumers report, channel by channel, over all processes of a service. Each process counts from 0 when it is started, and some come and
 * go: so what each of them has counted since it was last heard of is added up here. What they had counted before the first look of all is no news;
 * what they counted while one control plane took over from another is.
 */
export function sampleConsumers(
  list: () => Promise<readonly ConsumerStatus[]>,
  engine: Pick<AlertEngine, 'open' | 'now'>,
  vault: Pick<Vault, 'read'>,
): Sampler {
  const last = new Map<string, { readonly since: number; readonly counts: Counts }>()
  const totals = new Map<string, Totals>()
  let isFirst = true

  /**
   * At least so much was counted since the last look of whoever looked before: by how much the sum over those who count grew. Processes that were
   * forgotten in between make it smaller and never larger.
   */
  async function goOn(subject: Subject, counters: Totals): Promise<Totals> {
    const [found] = await vault.read('lastSamples', { subject, ends: [engine.now()], step: longestGap })
    const { values, counters: before } = found ?? {}
    if (!values || !before) return { ...nothing }
    const last = totalsOf(values)
    return mapped((name) => last[name] + Math.max(0, counters[name] - (before[name] ?? 0)))
  }

  async function takeOver(consumers: readonly ConsumerStatus[]): Promise<void> {
    for (const { subject, seen } of bySubject(consumers)) totals.set(subjectKey(subject), await goOn(subject, countersOf(seen)))
  }

  function add({ id, since }: ConsumerStatus, { name: channel, counts }: ChannelStatus, own: Totals): void {
    const key = keyOf(id, channel)
    const before = last.get(key)
    last.set(key, { since, counts })
    if (!before && isFirst) return
    const begun = before?.since === since ? before.counts : undefined
    for (const name of counted) own[name] += Math.max(0, counts[name] - (begun?.[name] ?? 0))
  }

  return async () => {
    const consumers = await list()
    if (isFirst) await takeOver(consumers)
    const reports = new Map<string, Report>()
    for (const { subject, seen } of bySubject(consumers)) {
      const key = subjectKey(subject)
      const own = totals.get(key) ?? { ...nothing }
      totals.set(key, own)
      for (const { consumer, channel } of seen) add(consumer, channel, own)
      reports.set(key, { subject, values: valuesOf(seen, own), counters: countersOf(seen) })
    }
    isFirst = false
    forgetOthers(last, new Set(consumers.flatMap(({ id, channels }) => channels.map(({ name }) => keyOf(id, name)))))
    // Of what everybody was forgotten there is nothing wrong any more, and nothing more is counted.
    const gone = engine.open().filter(({ type, subject }) => aboutConsumers.has(type) && !reports.has(subjectKey(subject)))
    return [
      ...reports.values(),
      ...gone.map(({ subject }): Report => ({ subject, values: valuesOf([], totals.get(subjectKey(subject)) ?? nothing) })),
    ]
  }
}

interface SeenTogether {
  readonly subject: Subject
  readonly seen: readonly Seen[]
}

function bySubject(consumers: readonly ConsumerStatus[]): readonly SeenTogether[] {
  const all = consumers.flatMap((consumer) =>
    consumer.channels.map((channel) => ({ consumer, channel, subject: subjectOf(consumer, channel) })),
  )
  return [...Map.groupBy(all, ({ subject }) => subjectKey(subject)).values()].flatMap((seen) => {
    const [first] = seen
    return first ? [{ subject: first.subject, seen }] : []
  })
}

/** As the processes count that are there, each from when it was started. */
function countersOf(seen: readonly Seen[]): Totals {
  return mapped((name) => seen.reduce((sum, { channel }) => sum + channel.counts[name], 0))
}

function mapped(count: (name: (typeof counted)[number]) => number): Totals {
  return {
    received: count('received'),
    deadLettered: count('deadLettered'),
    retried: count('retried'),
    publishFailures: count('publishFailures'),
  }
}

function totalsOf({ handledTotal = 0, deadLetteredTotal = 0, retriedTotal = 0, publishFailedTotal = 0 }: Values): Totals {
  return { received: handledTotal, deadLettered: deadLetteredTotal, retried: retriedTotal, publishFailures: publishFailedTotal }
}

function keyOf(consumer: number, channel: string): string {
  return JSON.stringify([consumer, channel])
}

/** A process that is started again is another consumer: those before it would never go. */
function forgetOthers(known: Map<string, unknown>, still: { has(key: string): boolean }): void {
  for (const key of known.keys()) if (!still.has(key)) known.delete(key)
}

function subjectOf({ service }: ConsumerStatus, { name, group }: ChannelStatus): Subject {
  return { source: service, queue: name, ...(group !== null && { consumerGroup: group }) }
}

/** The last state counts, also of one that is not heard of any more: nobody said that its breaker closed, or that its spool is empty. */
function valuesOf(seen: readonly Seen[], own: Totals): Values {
  const spooledIn = (some: readonly Seen[]): number =>
    some.reduce((sum, { channel: { spooled, spoolAside } }) => sum + spooled + spoolAside, 0)
  return {
    handledTotal: own.received,
    deadLetteredTotal: own.deadLettered,
    retriedTotal: own.retried,
    publishFailedTotal: own.publishFailures,
    spooled: spooledIn(seen),
    abandonedSpool: spooledIn(seen.filter(({ consumer }) => consumer.hasAbandonedSpool)),
    vanishedConsumers: seen.filter(({ consumer }) => consumer.state === 'unknown').length,
    breakerOpen: Number(seen.some(({ channel }) => channel.lastState === 'outage')),
  }
}
