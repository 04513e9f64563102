import type { Address } from '../seam.ts'
import type { Finding, WantedChannel } from '../topology.ts'
import type { GroupFacts, TopicFacts } from './administration.ts'
import type { Settings } from './options.ts'

/** Releases, restarts and the crashes of neighbours count as well, so a limit must leave room above the turns that a policy allows. */
const spareDeliveries = 10
/** What we make it: far above what a rolling restart adds, and a net for what kills whoever receives it. */
const usualLimit = 100

export function limitFor(maxTurns: number): number {
  return Math.max(maxTurns + spareDeliveries, usualLimit)
}

/** A topic or a group that is there. */
export interface Found {
  readonly topic?: TopicFacts
  readonly group?: GroupFacts
}

/** Every way in which what is there is not as it is wanted. Pure. */
export function differences(wanted: WantedChannel, found: Found, settings: Pick<Settings, 'topics' | 'group'>): Finding[] {
  return [
    ...(found.topic ? [...wishes(wanted, settings), ...typeOf(wanted, found.topic, settings)] : []),
    ...(found.group ? [...limitOf(wanted, found.group), ...orderOf(wanted, found.group, settings)] : []),
  ]
}

/** What no topic of this kind can do. */
function wishes({ address, ttl, lanes }: WantedChannel, { topics }: Pick<Settings, 'topics'>): Finding[] {
  const findings: Finding[] = []
  if (ttl !== undefined) {
    findings.push(
      finding('warning', address, 'ttl-not-kept', 'deletes what is too old, and dead-letters none of it: leave ttl out.'),
    )
  }
  if (lanes && topics !== 'fifo') {
    findings.push(finding('warning', address, 'lanes-unsupported', "keeps no order: use a transport with topics: 'fifo'."))
  }
  return findings
}

function typeOf({ address }: WantedChannel, { type }: TopicFacts, { topics }: Pick<Settings, 'topics'>): Finding[] {
  if (type === undefined || type === 'UNSPECIFIED' || type === 'MIXED' || type === topics.toUpperCase()) return []
  const message = `is a topic of type ${type}, which refuses what this transport sends: use topics: '${type.toLowerCase()}'.`
  return [finding('fatal', address, 'topic-type-differs', message)]
}

function limitOf({ address, role, maxTurns = 1 }: WantedChannel, { retryMaxTimes }: GroupFacts): Finding[] {
  const least = maxTurns + spareDeliveries
  if (role !== 'work' || retryMaxTimes >= least) return []
  const why = `is given up by the broker after ${retryMaxTimes + 1} deliveries, without its failure, and restarts count too`
  return [finding('warning', address, 'delivery-limit-too-low', `${why}: set retryMaxTimes of the group to at least ${least}.`)]
}

function orderOf({ address }: WantedChannel, { ordered }: GroupFacts, { topics }: Pick<Settings, 'topics'>): Finding[] {
  if (ordered === (topics === 'fifo')) return []
  if (ordered) {
    const message = 'has a group that keeps order, so that one message holds up all others of its queue: use another group.'
    return [finding('warning', address, 'group-keeps-order', message)]
  }
  const message = 'has a group that keeps no order: use another group, or set consumeMessageOrderly.'
  return [finding('fatal', address, 'group-keeps-no-order', message)]
}

export function finding(severity: Finding['severity'], address: Address, what: string, message: string): Finding {
  return { severity, address, what, message: `${address.name} ${message}` }
}
