import type { Finding, Topology, WantedChannel } from '../topology.ts'
import { answerTo, codes, refusal } from './answers.ts'
import { judge, type TopicSettings, topicsFor, type WantedTopic } from './blueprint.ts'
import type { Cluster, TopicInfo } from './cluster.ts'
import type { Settings } from './options.ts'
import { topicSettings } from './topic-settings.ts'

/** Compares every topic that the channels need with what is there, and creates those that are missing. */
export async function provision(
  cluster: Cluster,
  settings: Settings,
  wanted: Topology,
  mode: 'check' | 'apply',
): Promise<readonly Finding[]> {
  const topics = topicsFor(wanted, settings)
  const there = new Map((await cluster.topics(topics.map(({ name }) => name))).map((topic) => [topic.name, topic]))
  const missing = topics.filter(({ name }) => !there.has(name))
  const findings = missing.map((topic) => missingFinding(topic, mode))
  if (mode === 'apply') await create(cluster, settings, missing, there)
  else for (const { name } of missing) cluster.forget(name)
  const present = mode === 'apply' ? topics : topics.filter(({ name }) => there.has(name))
  const described = await describe(cluster, present)
  return [
    ...findings,
    ...present.flatMap((topic) => judge(topic, described.get(topic.name), settings.maxBody)),
    ...wanted.channels.flatMap(ttlFinding),
  ]
}

function missingFinding({ name, address, purpose }: WantedTopic, mode: 'check' | 'apply'): Finding {
  return mode === 'apply'
    ? { severity: 'created', address, what: 'topic-created', message: `Topic "${name}" (${purpose}) was created.` }
    : { severity: 'missing', address, what: 'topic-missing', message: `Topic "${name}" (${purpose}) does not exist. Create it.` }
}

function ttlFinding({ address, ttl }: WantedChannel): readonly Finding[] {
  if (ttl === undefined) return []
  const message = 'Kafka deletes what is too old and moves it nowhere: ttl is not kept here. Leave it out.'
  return [{ severity: 'warning', address, what: 'ttl-not-kept', message }]
}

async function create(
  cluster: Cluster,
  settings: Settings,
  missing: readonly WantedTopic[],
  there: ReadonlyMap<string, TopicInfo>,
): Promise<void> {
  if (missing.length === 0) return
  const { createTopicsV5 } = await cluster.kafka
  const request = missing.map(({ name, configs, like }) => ({
    name,
    // A retry topic is read by the consumers of its channel: as many partitions occupy as many of them.
    numPartitions: (like === undefined ? undefined : there.get(like)?.leaders.length) ?? settings.partitions,
    replicationFactor: settings.replicationFactor,
    assignments: [],
    configs: Object.entries(configs).map(([configName, value]) => ({ name: configName, value })),
  }))
  await cluster.insist('to create topics', missing[0]?.name ?? '', async () => {
    const answer = await answerTo(createTopicsV5.api.async(await cluster.any('ask'), request, settings.answerWithin, false))
    const wrong = answer.response.topics.find(({ errorCode }) => errorCode !== codes.none && errorCode !== codes.topicExists)
    if (wrong && wrong.errorCode !== codes.notController) throw refusal(wrong.errorCode, 'to create a topic', wrong.name)
    return wrong ? answer : { ...answer, code: codes.none }
  })
  await untilLed(
    cluster,
    missing.map(({ name }) => name),
  )
}

/** A topic that was created a moment ago may not be known to every broker, or have no leaders yet. */
async function untilLed(cluster: Cluster, names: readonly string[]): Promise<void> {
  await cluster.insist('to lead a new topic', names[0] ?? '', async () => {
    const found = await cluster.topics(names)
    const isLed = found.length === names.length && found.every(({ leaders }) => leaders.every((leader) => leader >= 0))
    return { code: isLed ? codes.none : codes.leaderNotAvailable, response: undefined }
  })
}

const judged = ['retention.ms', 'retention.bytes', 'cleanup.policy', 'max.message.bytes', 'min.insync.replicas']

async function describe(cluster: Cluster, topics: readonly WantedTopic[]): Promise<ReadonlyMap<string, TopicSettings>> {
  if (topics.length === 0) return new Map()
  const names = topics.map(({ name }) => name)
  const infos = new Map((await cluster.topics(names)).map((info) => [info.name, info]))
  const settings = await topicSettings(cluster, names, judged)
  return new Map([...settings].map(([name, values]) => [name, { values, replicas: infos.get(name)?.replicas ?? 1 }]))
}
