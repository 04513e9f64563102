import { RedriveError } from '../../core/errors.ts'
import type { Finding, Topology, WantedChannel } from '../topology.ts'
import { createGroup, createTopic, type GroupFacts, groupFacts, type TopicFacts, topicFacts } from './administration.ts'
import type { TopicKind } from './capabilities.ts'
import type { Cluster } from './cluster.ts'
import { differences, finding, limitFor } from './compare.ts'
import { channelOf, isBrokersOwn } from './names.ts'
import { beginAtStart, consumedOf } from './offsets.ts'
import type { Settings } from './options.ts'
import { placesIfAny } from './places-if-any.ts'

export const messageTypes: Readonly<Record<TopicKind, string>> = { normal: 'NORMAL', fifo: 'FIFO', delay: 'DELAY' }

export interface Provisioning {
  readonly cluster: Cluster
  readonly settings: Settings
  /** Resolves when messages of a new topic find their way. */
  untilKnown(topic: string): Promise<void>
}

/** Compares the channels with the topics and groups that are there, and creates those that are missing. */
export async function provision(
  provisioning: Provisioning,
  { channels }: Topology,
  mode: 'check' | 'apply',
): Promise<readonly Finding[]> {
  refuseSharedNames(channels, provisioning.settings)
  if (channels.length === 0) return []
  const masters = await provisioning.cluster.masters()
  const findings: Finding[] = []
  for (const wanted of channels) {
    findings.push(...(await provideTopic(provisioning, masters, wanted, mode)))
    findings.push(...(await provideGroup(provisioning, masters, wanted, mode)))
  }
  return findings
}

async function provideTopic(
  { cluster, settings, untilKnown }: Provisioning,
  masters: readonly string[],
  wanted: WantedChannel,
  mode: 'check' | 'apply',
): Promise<Finding[]> {
  const { address } = wanted
  const { topic } = channelOf(address, settings)
  const found = await Promise.all(masters.map((at) => topicFacts(cluster, at, topic)))
  const there = found.filter((facts) => facts !== undefined)
  if (there.length > 0) return there.slice(0, 1).flatMap((facts) => differences(wanted, { topic: facts }, settings))
  if (mode === 'check' || isBrokersOwn(topic))
    return [finding('missing', address, 'channel-missing', 'does not exist; apply creates it.')]
  const facts: TopicFacts = { type: messageTypes[settings.topics], queues: settings.queues }
  for (const at of masters) await createTopic(cluster, at, topic, facts)
  await untilKnown(topic)
  return [finding('created', address, 'channel-created', 'was created.'), ...differences(wanted, { topic: facts }, settings)]
}

async function provideGroup(
  { cluster, settings }: Provisioning,
  masters: readonly string[],
  wanted: WantedChannel,
  mode: 'check' | 'apply',
): Promise<Finding[]> {
  const { address, maxTurns = 1 } = wanted
  const { topic, group } = channelOf(address, settings)
  const findings: Finding[] = []
  const facts: GroupFacts = { retryMaxTimes: limitFor(maxTurns), ordered: settings.topics === 'fifo' }
  for (const at of masters) {
    const found = await groupFacts(cluster, at, group)
    if (found) findings.push(...differences(wanted, { group: found }, settings))
    else if (mode === 'apply') {
      await createGroup(cluster, at, group, facts)
      findings.push(finding('created', address, 'group-created', `has its group ${group} now.`))
    } else findings.push(finding('missing', address, 'group-missing', `has no group ${group}; apply creates it.`))
  }
  if (mode === 'apply') await beginWithTheOldest(cluster, topic, group)
  return findings
}

async function beginWithTheOldest(cluster: Cluster, topic: string, group: string): Promise<void> {
  const places = await placesIfAny(cluster, topic)
  await Promise.all(
    places.map(async (place) => {
      if ((await consumedOf(cluster, place, group)) === undefined) await beginAtStart(cluster, place, group)
    }),
  )
}

/** Names lose what RocketMQ does not take; two channels in one topic would take each other's messages. */
function refuseSharedNames(channels: readonly WantedChannel[], settings: Settings): void {
  const owners = new Map<string, string>()
  for (const { address } of channels) {
    const { topic } = channelOf(address, settings)
    const owner = owners.get(topic)
    if (owner !== undefined && owner !== address.name)
      throw new RedriveError('bad-option', `${owner} and ${address.name} would be one topic, ${topic}: rename one.`)
    owners.set(topic, address.name)
  }
}
