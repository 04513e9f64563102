import { Buffer } from 'node:buffer'
import { answers, type Cluster, codes } from './cluster.ts'
import { parseLooseJson } from './remoting-format.ts'

export interface TopicFacts {
  /** `NORMAL`, `FIFO`, `DELAY`, `TRANSACTION`, `MIXED`; absent on topics of an older broker, which takes everything. */
  readonly type?: string
  readonly queues: number
}

export interface GroupFacts {
  /** Deliveries after the first, before the broker gives up. */
  readonly retryMaxTimes: number
  readonly ordered: boolean
}

interface TopicConfig {
  readonly readQueueNums?: number
  readonly attributes?: Readonly<Record<string, string>>
}

interface GroupConfig {
  readonly retryMaxTimes?: number
  readonly consumeMessageOrderly?: boolean
}

export async function topicFacts(cluster: Cluster, at: string, topic: string): Promise<TopicFacts | undefined> {
  const { code, body } = await cluster.ask(at, { code: codes.topicConfig, fields: { topic } }, [answers.noTopic])
  if (code === answers.noTopic) return undefined
  const { readQueueNums = 0, attributes } = parseLooseJson(body.toString()) as TopicConfig
  const type = attributes?.['message.type']
  return { queues: readQueueNums, ...(type !== undefined && { type }) }
}

export async function groupFacts(cluster: Cluster, at: string, group: string): Promise<GroupFacts | undefined> {
  const question = { code: codes.groupConfig, fields: { group } }
  const { code, body } = await cluster.ask(at, question, [answers.noGroup])
  if (code === answers.noGroup || body.length === 0) return undefined
  const { retryMaxTimes = 0, consumeMessageOrderly = false } = parseLooseJson(body.toString()) as GroupConfig
  return { retryMaxTimes, ordered: consumeMessageOrderly }
}

/** Every group that reads a topic or has ever said how far it is with it. */
export async function groupsReading(cluster: Cluster, topic: string): Promise<readonly string[]> {
  const brokers = new Set((await cluster.queuesOf(topic)).map(({ at }) => at))
  const lists = await Promise.all(
    [...brokers].map(async (at) => {
      const { body } = await cluster.ask(at, { code: codes.readersOf, fields: { topic } })
      return (parseLooseJson(body.toString()) as { readonly groupList?: readonly string[] }).groupList ?? []
    }),
  )
  return [...new Set(lists.flat())]
}

export async function createTopic(cluster: Cluster, at: string, topic: string, { type, queues }: TopicFacts): Promise<void> {
  await cluster.ask(at, {
    code: codes.createTopic,
    fields: {
      topic,
      defaultTopic: 'TBW102',
      readQueueNums: String(queues),
      writeQueueNums: String(queues),
      perm: '6',
      topicFilterType: 'SINGLE_TAG',
      topicSysFlag: '0',
      order: 'false',
      attributes: `+message.type=${type}`,
    },
  })
}

export async function createGroup(cluster: Cluster, at: string, group: string, facts: GroupFacts): Promise<void> {
  const config = {
    groupName: group,
    consumeEnable: true,
    consumeFromMinEnable: true,
    consumeBroadcastEnable: false,
    consumeMessageOrderly: facts.ordered,
    retryQueueNums: 1,
    retryMaxTimes: facts.retryMaxTimes,
    brokerId: 0,
    whichBrokerWhenConsumeSlowly: 1,
    notifyConsumerIdsChangedEnable: true,
  }
  await cluster.ask(at, { code: codes.createGroup, body: Buffer.from(JSON.stringify(config)) })
}
