import { isIP } from 'node:net'
import type { Connection, ConnectionOptions } from '@platformatic/kafka'
import { RedriveError } from '../../core/errors.ts'
import { type Answer, answerTo, codes, isPassing, refusal } from './answers.ts'
import { type Kafka, loadKafka } from './library.ts'
import type { BrokerAddress, Settings } from './options.ts'
import { withinTime } from './within-time.ts'

/**
 * What a connection is for. A broker answers one request of a connection at a time, and a fetch or a join keeps it busy for as long
 * as there is nothing to say: neither may keep a commit waiting, nor the join of another member, for which it waits itself.
 */
export type Purpose = 'ask' | 'group' | `fetch of ${number}` | `join of ${number}`

export interface TopicInfo {
  readonly name: string
  /** By partition: the broker that leads it, or -1. */
  readonly leaders: readonly number[]
  readonly replicas: number
}

/** The brokers, what they lead, and connections to them. */
export interface Cluster {
  readonly kafka: Promise<Kafka>
  /** Rejects with `unknown-channel`. What was known before is good enough unless `afresh`. */
  topic(name: string, afresh?: boolean): Promise<TopicInfo>
  /** What is known about a topic, without asking anybody. */
  knownTopic(name: string): TopicInfo | undefined
  /** Those of the topics that exist. */
  topics(names: readonly string[]): Promise<readonly TopicInfo[]>
  /** What was known about a topic did not prove true. */
  forget(topic: string): void
  /** Any broker. */
  any(purpose: Purpose): Promise<Connection>
  broker(node: number, purpose: Purpose): Promise<Connection>
  coordinator(group: string, purpose: Purpose): Promise<Connection>
  /** The same where there is a connection already, for whoever must not let anything come between. */
  connectedCoordinator(group: string, purpose: Purpose): Connection | undefined
  /** Who coordinates the group has to be found anew. */
  forgetCoordinator(group: string): void
  /** A number for a receiver, whose fetches and joins have connections of their own. */
  newReader(): number
  /** Closes the connections of a receiver. */
  closeReader(reader: number): Promise<void>
  /** The answer, asked for again while a refusal may pass; rejects with what was refused. */
  insist<T>(what: string, name: string, ask: () => Promise<Answer<T>>): Promise<T>
  close(): Promise<void>
}

/** How long a join may take beyond the time in which the others have to come. */
export const rebalanceWithin = 60_000
const tryAgainAfter = 50

export function createCluster(settings: Settings): Cluster {
  const { clock, answerWithin } = settings
  const kafka = loadKafka()
  kafka.catch(() => {})
  const connections = new Map<string, Promise<Connection>>()
  const connected = new Map<string, Connection>()
  const known = new Map<string, TopicInfo>()
  const coordinators = new Map<string, BrokerAddress>()
  let brokers = new Map<number, BrokerAddress>()
  let closed = false
  let readers = 0

  function connectionOptions(purpose: Purpose, host: string): ConnectionOptions {
    const patience = answerWithin + (purpose.startsWith('join') ? rebalanceWithin : 0)
    return {
      connectTimeout: answerWithin,
      requestTimeout: patience,
      // More than anybody asks at a time: what waits in the library's own queue has no time limit.
      maxInflights: 1000,
      // A server is asked for by its name, and an address is none.
      ...(settings.tls && { tls: settings.tls, tlsServerName: isIP(host) === 0 }),
      ...(settings.sasl && { sasl: settings.sasl }),
    }
  }

  async function connect(purpose: Purpose, { host, port }: BrokerAddress, key: string): Promise<Connection> {
    const { Connection } = await kafka
    const connection = new Connection(settings.clientId, connectionOptions(purpose, host))
    const drop = (): void => {
      connections.delete(key)
      if (connected.get(key) === connection) connected.delete(key)
    }
    connection.on('error', drop)
    connection.on('close', drop)
    await connection.connect(host, port)
    connected.set(key, connection)
    return connection
  }

  function connectionTo(broker: BrokerAddress, purpose: Purpose): Promise<Connection> {
    if (closed) return Promise.reject(new RedriveError('closed', 'The Kafka transport is closed.'))
    const at = settings.resolveBroker(broker)
    const key = keyOf(purpose, at)
    const there = connections.get(key)
    if (there) return there
    const connecting = withinTime(clock, answerWithin, connect(purpose, at, key)).catch((cause) => {
      connections.delete(key)
      throw unreachable(at, cause)
    })
    connections.set(key, connecting)
    return connecting
  }

  async function any(purpose: Purpose): Promise<Connection> {
    let failure: unknown
    for (const broker of [...brokers.values(), ...settings.bootstrap]) {
      try {
        return await connectionTo(broker, purpose)
      } catch (error) {
        if (error instanceof RedriveError && error.code !== 'unreachable') throw error
        failure = error
      }
    }
    throw failure
  }

  async function ask(names: readonly string[]): Promise<readonly TopicInfo[]> {
    const { metadataV11 } = await kafka
    const { response } = await answerTo(metadataV11.api.async(await any('ask'), [...names], false, false))
    brokers = new Map(response.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]))
    const found: TopicInfo[] = []
    for (const { name, errorCode, partitions } of response.topics) {
      if (errorCode !== codes.none && errorCode !== codes.unknownTopic && !isPassing(errorCode))
        throw refusal(errorCode, 'to describe a topic', name ?? '')
      if (errorCode !== codes.none || name === null || name === undefined) continue
      const leaders = [...partitions].sort((a, b) => a.partitionIndex - b.partitionIndex).map(({ leaderId }) => leaderId)
      found.push({ name, leaders, replicas: Math.min(...partitions.map(({ replicaNodes }) => replicaNodes.length)) })
    }
    for (const name of names) known.delete(name)
    for (const topic of found) known.set(topic.name, topic)
    return found
  }

  async function findCoordinator(group: string): Promise<BrokerAddress> {
    const { findCoordinatorV3 } = await kafka
    const groupKey = 0
    const { coordinators } = await insist('to name the coordinator', group, async () =>
      answerTo(findCoordinatorV3.api.async(await any('ask'), groupKey, [group])),
    )
    const [found] = coordinators
    if (!found) throw refusal(codes.coordinatorNotAvailable, 'to name the coordinator', group)
    return { host: found.host, port: found.port }
  }

  async function insist<T>(what: string, name: string, ask: () => Promise<Answer<T>>): Promise<T> {
    const deadline = clock.monotonic() + answerWithin
    for (;;) {
      const { code, response } = await ask()
      if (code === codes.none) return response
      if (!isPassing(code) || clock.monotonic() > deadline) throw refusal(code, what, name)
      await new Promise<void>((resolve) => clock.after(tryAgainAfter, resolve))
    }
  }

  async function closeThose(isMeant: (key: string) => boolean): Promise<void> {
    const meant = [...connections].filter(([key]) => isMeant(key))
    for (const [key] of meant) {
      connections.delete(key)
      connected.delete(key)
    }
    const open = await Promise.allSettled(meant.map(([, connection]) => connection))
    await Promise.allSettled(open.map((each) => (each.status === 'fulfilled' ? each.value.close() : undefined)))
  }

  return {
    kafka,
    insist,
    async topic(name, afresh = false) {
      const before = afresh ? undefined : known.get(name)
      const [found] = before ? [before] : await ask([name])
      if (!found) throw refusal(codes.unknownTopic, 'to describe a topic', name)
      return found
    },
    knownTopic: (name) => known.get(name),
    topics: ask,
    forget: (topic) => void known.delete(topic),
    any,
    async broker(node, purpose) {
      const broker = brokers.get(node)
      if (!broker) throw new RedriveError('unreachable', `No broker leads this partition at the moment.`)
      return connectionTo(broker, purpose)
    },
    async coordinator(group, purpose) {
      const at = coordinators.get(group) ?? (await findCoordinator(group))
      coordinators.set(group, at)
      return connectionTo(at, purpose).catch((error) => {
        // It may be another broker by now, and whoever asks again is to hear of that.
        if (coordinators.get(group) === at) coordinators.delete(group)
        throw error
      })
    },
    connectedCoordinator(group, purpose) {
      const at = coordinators.get(group)
      return at && connected.get(keyOf(purpose, settings.resolveBroker(at)))
    },
    forgetCoordinator: (group) => void coordinators.delete(group),
    newReader: () => ++readers,
    closeReader: (reader) => closeThose((key) => key.startsWith(`fetch of ${reader} `) || key.startsWith(`join of ${reader} `)),
    close() {
      closed = true
      return closeThose(() => true)
    },
  }
}

function keyOf(purpose: Purpose, { host, port }: BrokerAddress): string {
  return `${purpose} ${host}:${port}`
}

function unreachable({ host, port }: BrokerAddress, cause: unknown): RedriveError {
  const isDenied = String((cause as { cause?: unknown }).cause ?? cause).includes('SASL')
  const code = isDenied ? 'access-denied' : 'unreachable'
  const says = isDenied ? 'refused the credentials' : 'cannot be reached'
  return new RedriveError(code, `The Kafka broker at ${host}:${port} ${says}.`, { cause })
}
