import { hasCode, RedriveError } from '../../core/errors.ts'
import { brokerError } from './answers.ts'
import { isBrokersOwn } from './names.ts'
import type { Settings } from './options.ts'
import type { Remoting } from './remoting.ts'
import { type Answer, parseLooseJson, type Question } from './remoting-format.ts'

interface BrokerPlace {
  readonly broker: string
  /** `host:port`. */
  readonly at: string
}

/** One queue of a topic, and the broker that has it. */
export interface QueuePlace extends BrokerPlace {
  readonly topic: string
  readonly queue: number
}

/** The brokers behind the proxy, as the name servers know them. */
export interface Cluster {
  /** `host:port` of every broker that takes writes. */
  masters(): Promise<readonly string[]>
  /** Rejects with `unknown-channel` where no broker has the topic. */
  queuesOf(topic: string): Promise<readonly QueuePlace[]>
  /** Rejects with what a refusal means; codes that are `expected` are given. */
  ask(at: string, question: Question, expected?: readonly number[]): Promise<Answer>
}

/** What is asked, by RocketMQ's own numbers. */
export const codes = {
  pull: 11,
  consumerOffset: 14,
  setConsumerOffset: 15,
  createTopic: 17,
  maxOffset: 30,
  minOffset: 31,
  route: 105,
  clusterInfo: 106,
  createGroup: 200,
  readersOf: 300,
  topicConfig: 351,
  groupConfig: 352,
} as const

/** What is answered. */
export const answers = {
  done: 0,
  noTopic: 17,
  pullNothing: 19,
  pullAgain: 20,
  pullElsewhere: 21,
  notFound: 22,
  noGroup: 26,
} as const

interface BrokerData {
  readonly brokerName: string
  readonly brokerAddrs: Readonly<Record<string, string>>
}

interface Route {
  readonly brokerDatas?: readonly BrokerData[]
  readonly queueDatas?: readonly { readonly brokerName: string; readonly readQueueNums: number }[]
}

interface ClusterInfo {
  readonly brokerAddrTable?: Readonly<Record<string, BrokerData>>
}

/** Among the addresses of a broker, the one of its master has this number. */
const master = '0'

export function createCluster(remoting: Remoting, { nameServers }: Pick<Settings, 'nameServers'>): Cluster {
  async function ask(at: string, question: Question, expected: readonly number[] = []): Promise<Answer> {
    const answer = await remoting.ask(at, question)
    if (answer.code === answers.done || expected.includes(answer.code)) return answer
    throw brokerError(answer.code)
  }

  /** All of them know the same: one that answers is enough. */
  async function askNameServer(question: Question): Promise<unknown> {
    let failure: unknown
    for (const at of nameServers)
      try {
        return parseLooseJson((await ask(at, question)).body.toString())
      } catch (error) {
        if (hasCode(error, 'unknown-channel')) throw error
        failure = error
      }
    throw failure
  }

  async function brokers(): Promise<readonly BrokerPlace[]> {
    const { brokerAddrTable = {} } = (await askNameServer({ code: codes.clusterInfo })) as ClusterInfo
    const found = Object.values(brokerAddrTable).flatMap(({ brokerName: broker, brokerAddrs }) => {
      const at = brokerAddrs[master]
      return at === undefined ? [] : [{ broker, at }]
    })
    if (found.length > 0) return found
    throw new RedriveError('unreachable', 'The name server knows no broker that takes writes; nothing was done.')
  }

  /** Of a topic that a broker has made for itself, name servers hear half a minute later. */
  async function brokersOwnQueues(topic: string): Promise<readonly QueuePlace[]> {
    const places: QueuePlace[] = []
    for (const place of await brokers()) {
      const { code, body } = await ask(place.at, { code: codes.topicConfig, fields: { topic } }, [answers.noTopic])
      if (code === answers.noTopic) continue
      const { readQueueNums = 0 } = parseLooseJson(body.toString()) as { readonly readQueueNums?: number }
      places.push(...placesOf(place, topic, readQueueNums))
    }
    if (places.length > 0) return places
    throw brokerError(answers.noTopic)
  }

  return {
    ask,
    masters: async () => (await brokers()).map(({ at }) => at),
    async queuesOf(topic) {
      if (isBrokersOwn(topic)) return brokersOwnQueues(topic)
      const route = (await askNameServer({ code: codes.route, fields: { topic } })) as Route
      const { brokerDatas = [], queueDatas = [] } = route
      return queueDatas.flatMap(({ brokerName: broker, readQueueNums }) => {
        const at = brokerDatas.find(({ brokerName }) => brokerName === broker)?.brokerAddrs[master]
        return at === undefined ? [] : placesOf({ broker, at }, topic, readQueueNums)
      })
    },
  }
}

function placesOf(place: BrokerPlace, topic: string, queues: number): QueuePlace[] {
  return Array.from({ length: queues }, (_, queue) => ({ ...place, topic, queue }))
}
