import { formatDuration } from '../../core/duration.ts'
import type { Address } from '../seam.ts'
import type { Finding, Topology, WantedChannel } from '../topology.ts'
import { longestDelay } from './capabilities.ts'
import type { Settings } from './options.ts'
import { levelsUpTo, retryTopic } from './retry-topics.ts'

/** A topic that a channel needs, and how it should be set. */
export interface WantedTopic {
  readonly name: string
  readonly address: Address
  readonly purpose: string
  readonly role: WantedChannel['role'] | 'retry'
  /** What it is created with; everything else is the broker's default. */
  readonly configs: Readonly<Record<string, string>>
  /** The topic whose partitions it should have as many of. */
  readonly like?: string
}

/** What is known about a topic that is there. */
export interface TopicSettings {
  readonly values: Readonly<Record<string, string>>
  readonly replicas: number
}

const forEver = '-1'
/** The largest message that a topic with default settings takes, and what a letter adds to its original. */
const letterOverhead = 100 * 1024

/** Every topic that these channels need, each once. */
export function topicsFor({ channels }: Topology, { groupId }: Pick<Settings, 'groupId'>): readonly WantedTopic[] {
  const topics = new Map<string, WantedTopic>()
  for (const channel of channels) for (const topic of topicsOf(channel, groupId)) topics.set(topic.name, topic)
  return [...topics.values()]
}

function topicsOf({ address, role, maxRetryDelay, lanes }: WantedChannel, groupId: string | undefined): readonly WantedTopic[] {
  const own: WantedTopic = { name: address.name, address, purpose: purposes[role], role, configs: configsFor(role) }
  const group = address.group ?? groupId
  if (role !== 'work' || group === undefined) return [own]
  // Where order is kept, a record waits in its place and no copy is made; a letter may still be sent back to its group.
  const levels = levelsUpTo(lanes ? 0 : (maxRetryDelay ?? 0))
  const retries = levels.map((level): WantedTopic => {
    const name = retryTopic(address.name, group, level)
    return { name, address, purpose: `retries of group ${group}`, role: 'retry', configs: configsFor('retry'), like: own.name }
  })
  return [own, ...retries]
}

const purposes = { work: 'the channel itself', 'dead-letter': 'dead letters', invalid: 'invalid messages' } as const

/** Letters stay until somebody takes them away; copies of retries are of no use once their time is long over. */
function configsFor(role: WantedTopic['role']): Readonly<Record<string, string>> {
  if (role === 'work') return {}
  const retention = role === 'retry' ? String(2 * longestDelay) : forEver
  return { 'cleanup.policy': 'delete', 'retention.ms': retention, 'retention.bytes': forEver }
}

/** Every way in which a topic that is there could lose what it is given. */
export function judge(topic: WantedTopic, settings: TopicSettings | undefined, maxBody: number): readonly Finding[] {
  const { address, name } = topic
  const findings: Finding[] = []
  const tell = (severity: Finding['severity'], what: string, message: string): void =>
    void findings.push({ severity, address, what, message: `Topic "${name}" ${message}` })
  if (settings) {
    judgeCleaning(topic, settings, tell)
    judgeSafety(topic, settings, maxBody, tell)
  } else tell('unknown', 'settings-unseen', 'does not show its settings: allow DescribeConfigs to have them looked at.')
  return findings
}

type Tell = (severity: Finding['severity'], what: string, message: string) => void

function judgeCleaning(topic: WantedTopic, { values }: TopicSettings, tell: Tell): void {
  const policy = values['cleanup.policy'] ?? ''
  const retention = Number(values['retention.ms'])
  const expires = policy.includes('delete') && retention >= 0
  if (isGrave(topic) && expires)
    tell(
      'warning',
      'letters-expire',
      `deletes dead letters after ${formatDuration(retention)}, read or not. Set retention.ms to -1.`,
    )
  if (isGrave(topic) && policy.includes('delete') && Number(values['retention.bytes']) >= 0)
    tell('warning', 'letters-pushed-out', 'deletes dead letters when it is full. Set retention.bytes to -1.')
  if (topic.role === 'retry' && expires && retention <= longestDelay)
    tell('warning', 'retries-expire', `may delete a retry before its time. Set retention.ms to ${2 * longestDelay}.`)
  if (!policy.includes('compact')) return
  if (topic.role === 'work')
    tell('warning', 'compacted', 'is compacted: of records with one key only the last is kept, processed or not.')
  else tell('fatal', 'compacted', 'is compacted: it keeps one letter or retry for each key. Set cleanup.policy to delete.')
}

function judgeSafety(topic: WantedTopic, { values, replicas }: TopicSettings, maxBody: number, tell: Tell): void {
  const largest = Number(values['max.message.bytes'])
  if (isGrave(topic) && largest < maxBody + letterOverhead)
    tell('warning', 'letters-too-large', `takes ${largest} bytes, and a letter may be larger. Raise max.message.bytes.`)
  if (replicas < 2) tell('warning', 'one-replica', "has one replica: it is gone when its broker's disk is.")
  else if (Number(values['min.insync.replicas']) < 2)
    tell('warning', 'one-replica-confirms', 'confirms what one replica has. Set min.insync.replicas to 2.')
}

function isGrave({ role }: WantedTopic): boolean {
  return role === 'dead-letter' || role === 'invalid'
}
