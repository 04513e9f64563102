import type { Subject } from '../../core/alerts/identity.ts'
import { subjectKey } from '../../core/alerts/identity.ts'
import type { RuleType } from '../../core/alerts/rule.ts'
import type { Values } from '../../core/alerts/sample.ts'
import type { ChannelStatus, ConsumerStatus } from '../control-plane.ts'
import type { AlertEngine } from './alert-engine.ts'
import type { Report, Sampler } from './report.ts'

type Counts = ChannelStatus['counts']

const counted = ['received', 'deadLettered', 'retried', 'publishFailures'] as const satisfies readonly (keyof Counts)[]

interface Seen {
  readonly consumer: ConsumerStatus
  readonly channel: ChannelStatus
}

const aboutConsumers: ReadonlySet<RuleType> = new Set<RuleType>(['consumer.vanished', 'spool.not.empty', 'breaker.open'])
const nobodyLeft: Values = { spooled: 0, abandonedSpool: 0, vanishedConsumers: 0, breakerOpen: 0 }

type Totals = Record<(typeof counted)[number], number>

/**
 * What consumers report, channel by channel, over all processes of a service. Each process counts from 0 when it is started, and some come and
 * go: so what each of them has counted since it was last heard of is added up here. What they had counted before the first look is no news.
 */
export function sampleConsumers(list: () => Promise<readonly ConsumerStatus[]>, engine: Pick<AlertEngine, 'open'>): Sampler {
  const last = new Map<string, { readonly since: number; readonly counts: Counts }>()
  const totals = new Map<string, Totals>()
  let isFirst = true

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
    const reports = new Map<string, { readonly subject: Subject; readonly seen: Seen[]; readonly own: Totals }>()
    for (const consumer of consumers) {
      for (const channel of consumer.channels) {
        const subject = subjectOf(consumer, channel)
        const key = subjectKey(subject)
        const own = totals.get(key) ?? { received: 0, deadLettered: 0, retried: 0, publishFailures: 0 }
        totals.set(key, own)
        add(consumer, channel, own)
        const report = reports.get(key) ?? { subject, seen: [], own }
        report.seen.push({ consumer, channel })
        reports.set(key, report)
      }
    }
    isFirst = false
    forgetOthers(last, new Set(consumers.flatMap(({ id, channels }) => channels.map(({ name }) => keyOf(id, name)))))
    // Of what everybody was forgotten there is nothing wrong any more.
    const gone = engine.open().filter(({ type, subject }) => aboutConsumers.has(type) && !reports.has(subjectKey(subject)))
    return [
      ...[...reports.values()].map(({ subject, seen, own }): Report => ({ subject, values: valuesOf(seen, own) })),
      ...gone.map(({ subject }): Report => ({ subject, values: nobodyLeft })),
    ]
  }
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
