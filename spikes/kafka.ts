import {
  Admin,
  type Connection,
  Consumer,
  type GroupPartitionsAssigner,
  type KafkaRecord,
  offsetCommitV9,
  offsetFetchV9,
  Producer,
} from '@platformatic/kafka'
import { hasCode, RedriveError } from '../src/core/errors.ts'
import { headerText } from '../src/core/headers.ts'
import type { Header, Message } from '../src/core/message.ts'
import type { Capabilities } from '../src/transports/capabilities.ts'
import type { Address, Delivery, ReceiveOptions, Receiver } from '../src/transports/seam.ts'
import { type Lane, lane } from './kafka-lane.ts'
import { absent, coalesce, type Spike, within } from './spike.ts'

const answerWithin = 5_000
const dueHeader = 'redrive-due'
/** What only one group is to get stands in a topic of its own beside the channel: copies of retries, at once or later. */
const groupTopic = (name: string, group: string): string => `${name}.${group}.redrive`
const fieldPrefix = 'redrive-field-'
const fieldNames = ['id', 'type', 'contentType', 'correlationId'] as const

const capabilities: Capabilities = {
  hold: 'offset',
  counts: 'turns',
  retry: { by: 'copy', maxDelay: 7 * 86_400_000, headers: true },
  deadLetter: { native: false, carriesFailure: false },
  move: 'none',
  browse: 'cursor',
  remove: 'none',
  ordering: 'lane',
  deduplication: 0,
  delayedSend: 7 * 86_400_000,
  ttl: false,
  messages: { headers: 'bytes', repeatedHeaders: true, tombstones: true, binary: true, maxBody: 1_000_000, maxHeaders: 900_000 },
}

interface Record extends KafkaRecord {
  readonly timestamp: number
}
interface Held {
  readonly lane: Lane<Record>
  readonly offset: bigint
  readonly commit: () => Promise<void>
  readonly changed: () => void
  done?: Promise<void>
}

export function kafkaSpike(broker: string): Spike {
  const base = { clientId: 'redrive', bootstrapBrokers: [broker] }
  const producer = new Producer({ ...base, retries: 2, timeout: answerWithin })
  const admin = new Admin({ ...base, retries: 3 })
  const held = new WeakMap<Delivery, Held>()
  const groups = new Set<Group>()
  let closed = false

  async function partitionsOf(topic: string): Promise<{ id: string; count: number }> {
    if (closed) throw new RedriveError('closed', 'The transport is closed.')
    const asked = within(answerWithin, 'The metadata request', admin.metadata({ topics: [topic], forceUpdate: true }))
    const { topics } = await asked.catch((cause) => {
      const missing = /^Unknown topic/.test(cause.message)
      throw new RedriveError(missing ? 'unknown-channel' : 'unreachable', `No topic "${topic}".`, { cause })
    })
    const found = topics.get(topic)
    if (!found) throw new RedriveError('unknown-channel', `There is no topic "${topic}".`)
    return { id: found.id, count: found.partitionsCount }
  }

  async function receive(address: Address, options: ReceiveOptions): Promise<Receiver> {
    if (address.group === undefined) throw new RedriveError('bad-option', 'Kafka needs a consumer group to receive.')
    const names = [address.name, groupTopic(address.name, address.group)]
    const topics = new Map(await Promise.all(names.map(async (name) => [(await partitionsOf(name)).id, name] as const)))
    const group = await joinGroup(base, topics, address.name, address.group)
    groups.add(group)
    let taking = true

    const handOut = async (max: number): Promise<Delivery[]> => {
      const now = performance.now()
      const lanes = [...group.lanes.entries()]
      const begun = lanes.map(([, each]) => each.begin(options.prefetch))
      const suspect = lanes.find(([, each]) => each.suspectFirst(now))
      const busy = lanes.some(([, each]) => each.inHand.size > 0)
      if (suspect && busy) return []
      const from = suspect ? [suspect] : lanes
      const deliveries: Delivery[] = []
      for (const [place, each] of from)
        for (const { item, turns, suspect } of each.handOut(max - deliveries.length, now)) {
          const delivery: Delivery = {
            message: toMessage(item.value),
            address,
            position: `${place}/${item.offset}`,
            lane: place,
            deliveries: 1,
            turns,
            suspect,
            heldUntil: Infinity,
            enqueuedAt: item.value.timestamp,
            hold: { signal: each.hold.signal },
          }
          held.set(delivery, { lane: each, offset: item.offset, commit: group.commit, changed: group.changed })
          deliveries.push(delivery)
        }
      if (suspect || begun.includes(true)) await group.commit()
      return deliveries.filter((delivery) => !delivery.hold.signal.aborted)
    }

    return {
      lost: group.lost.signal,
      async take(max, wait) {
        const until = performance.now() + wait
        while (taking && !group.lost.signal.aborted) {
          const some = await handOut(max)
          if (some.length > 0) return some
          const left = until - performance.now()
          if (left <= 0) return []
          await group.change(Math.min(left, group.ripensIn()))
        }
        return []
      },
      async close() {
        if (!taking) return
        taking = false
        group.stopFetching()
        group.changed()
        if ([...group.lanes.values()].every((each) => each.inHand.size === 0)) await group.leave()
      },
    }
  }

  return {
    name: 'kafka',
    capabilities,
    async provision(wanted) {
      const topics = wanted.channels.map(({ address }) => address.name)
      const own = wanted.channels.map(({ address }) => groupTopic(address.name, address.group ?? ''))
      await admin.createTopics({ topics: [...topics, ...own], partitions: 4, replicas: 1 })
      return []
    },
    receive,
    async extend(delivery) {
      if (delivery.hold.signal.aborted) throw new RedriveError('hold-lost', 'The partition is no longer ours.')
      return Infinity
    },
    async settle(delivery, settlement) {
      const mine = held.get(delivery)
      if (!mine || (!mine.done && delivery.hold.signal.aborted))
        throw new RedriveError('hold-lost', 'The partition is no longer ours.')
      if (mine.done) return mine.done
      const { lane, offset, commit, changed } = mine
      if (settlement.kind === 'complete') lane.done(offset)
      else if (settlement.kind === 'release') lane.again(offset, 0, false)
      else if (settlement.kind === 'retry') lane.again(offset, performance.now() + settlement.delay, true)
      else throw new RedriveError('unsupported', `Kafka has no ${settlement.kind}.`)
      mine.done = commit()
      mine.done.catch(() => {})
      changed()
      return mine.done
    },
    async send(address, message, options = {}) {
      const { name, group } = address
      if (options.delay && group === undefined) throw new RedriveError('bad-option', 'Only a send to one group can be delayed.')
      const topic = group === undefined ? name : groupTopic(name, group)
      await partitionsOf(topic)
      const due: Header[] = options.delay ? [[dueHeader, String(Date.now() + options.delay)]] : []
      const record = toRecord(topic, { ...message, headers: [...message.headers, ...due] })
      const { offsets } = await within(
        answerWithin,
        'The produce request',
        producer.send({ messages: [record], acks: -1 }),
      ).catch((cause) => {
        throw hasCode(cause, 'unsure') ? cause : new RedriveError('unsure', 'The message was not confirmed.', { cause })
      })
      const at = offsets?.[0]
      return { duplicate: false, ...(at ? { position: `${at.topic}/${at.partition}/${at.offset}` } : {}) }
    },
    browse: absent('browse'),
    remove: absent('remove'),
    measure: absent('measure'),
    async close() {
      if (closed) return
      closed = true
      await Promise.all([...groups].map((group) => group.leave()))
      await Promise.all([producer.close(), admin.close()])
    },
    async crash() {
      await Promise.all([...groups].map((group) => group.vanish()))
    },
  }
}

/** The client's own assigner knows the leader's topics only, and gives partitions to members that never subscribed to them. */
const amongSubscribers: GroupPartitionsAssigner = (_current, members, _ofTheLeader, metadata) => {
  const topics = new Set([...members.values()].flatMap((member) => member.topics ?? []))
  const plans = new Map([...members.keys()].map((memberId) => [memberId, { memberId, assignments: new Map() }]))
  for (const topic of topics) {
    const able = [...members.values()].filter((member) => member.topics?.includes(topic)).map((member) => member.memberId)
    for (let partition = 0; partition < (metadata.topics.get(topic)?.partitionsCount ?? 0); partition++) {
      const plan = plans.get(able[partition % able.length] ?? '')
      const mine = plan?.assignments.get(topic) ?? { topic, partitions: [] }
      mine.partitions.push(partition)
      plan?.assignments.set(topic, mine)
    }
  }
  return [...plans.values()]
}

interface Group {
  /** By topic and partition: `orders/3`. */
  readonly lanes: Map<string, Lane<Record>>
  readonly lost: AbortController
  /** Writes what all lanes have to say; calls made together share one request. */
  commit(): Promise<void>
  changed(): void
  /** Resolves at the next change or after `ms`. */
  change(ms: number): Promise<void>
  /** Milliseconds until the first retry that a lane waits for. */
  ripensIn(): number
  stopFetching(): void
  leave(): Promise<void>
  vanish(): Promise<void>
}

async function joinGroup(
  base: { clientId: string; bootstrapBrokers: string[] },
  topics: ReadonlyMap<string, string>,
  ordered: string,
  groupId: string,
): Promise<Group> {
  const options = {
    ...base,
    groupId,
    sessionTimeout: 6_000,
    heartbeatInterval: 500,
    rebalanceTimeout: 10_000,
    retries: true as const,
  }
  const member = new Consumer(options)
  const fetcher = new Consumer({ ...options, groupId: `${groupId}-fetcher` })
  const names = [...topics.values()]
  const lanes = new Map<string, Lane<Record>>()
  const lost = new AbortController()
  let wake = (): void => {}
  let fetching = true
  let over = false
  const changed = (): void => wake()
  const change = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  async function coordinator(): Promise<Connection> {
    const node = await member.findGroupCoordinator()
    const connection = (await member.connectToBrokers([node])).get(node)
    if (!connection) throw new RedriveError('unreachable', 'The group coordinator cannot be reached.')
    return connection
  }

  const places = (): [string, number, Lane<Record>][] => [...lanes].map(([place, each]) => [...split(place), each])

  async function commitNow(parting = false): Promise<void> {
    if (lanes.size === 0 || over) throw new RedriveError('hold-lost', 'No partition is ours.')
    const request = names.map((name) => ({
      name,
      partitions: places()
        .filter(([topic]) => topic === name)
        .map(([, partitionIndex, each]) => {
          const { offset, metadata } = each.commit(parting)
          return { partitionIndex, committedOffset: offset, committedLeaderEpoch: -1, committedMetadata: metadata }
        }),
    }))
    try {
      const connection = await coordinator()
      const asked = offsetCommitV9.api.async(connection, groupId, member.generationId, member.memberId ?? '', null, request)
      await within(answerWithin, 'The commit', asked)
    } catch (cause) {
      if (hasCode(cause, 'unsure')) throw cause
      throw new RedriveError('unsure', 'The commit was not confirmed.', { cause })
    }
  }

  async function assigned(): Promise<void> {
    const mine = (member.assignments ?? []).flatMap(({ topic, partitions }) =>
      partitions.map((partition) => `${topic}/${partition}`),
    )
    for (const [place, each] of lanes)
      if (!mine.includes(place)) {
        lanes.delete(place)
        each.hold.abort(new RedriveError('hold-lost', `${place} moved to another consumer.`))
      }
    const fresh = mine.filter((place) => !lanes.has(place)).map(split)
    if (fresh.length === 0) return
    const asked = names.map((name) => ({
      name,
      partitionIndexes: fresh.filter(([topic]) => topic === name).map(([, partition]) => partition),
    }))
    const { groups } = await offsetFetchV9.api.async(await coordinator(), [{ groupId, memberEpoch: -1, topics: asked }], true)
    for (const { name, partitions } of groups[0]?.topics ?? [])
      for (const { partitionIndex, committedOffset, metadata } of partitions) {
        const place = `${name}/${partitionIndex}`
        const from = committedOffset < 0n ? 0n : committedOffset
        if (!lanes.has(place)) lanes.set(place, lane(from, metadata ?? null, name === ordered))
      }
  }

  async function fetchOnce(): Promise<void> {
    const hungry = places().filter(([, , each]) => each.waiting.length < 500)
    if (hungry.length === 0) return change(50)
    const asked = [...topics].map(([topicId, name]) => ({
      topicId,
      partitions: hungry
        .filter(([topic]) => topic === name)
        .map(([, partition, { next }]) => ({
          partition,
          fetchOffset: next,
          currentLeaderEpoch: -1,
          lastFetchedEpoch: -1,
          partitionMaxBytes: 1_000_000,
        })),
    }))
    const options = {
      node: 1,
      maxWaitTime: 100,
      minBytes: 1,
      maxBytes: 10_000_000,
      topics: asked.filter(({ partitions }) => partitions.length > 0),
    }
    const { responses } = await fetcher.fetch(options)
    for (const { topicId, partitions } of responses)
      for (const { partitionIndex, records } of partitions) {
        const each = lanes.get(`${topics.get(topicId)}/${partitionIndex}`)
        for (const batch of records ?? [])
          for (const record of batch.records) {
            const offset = batch.firstOffset + BigInt(record.offsetDelta)
            if (!each || offset < each.next) continue
            each.next = offset + 1n
            each.waiting.push({
              offset,
              notBefore: dueOf(record),
              value: { ...record, timestamp: Number(batch.firstTimestamp + record.timestampDelta) },
            })
          }
      }
    changed()
  }

  async function fetchLoop(): Promise<void> {
    while (fetching) await fetchOnce().catch(() => change(100))
  }

  async function end(): Promise<void> {
    if (over) return
    over = true
    fetching = false
    for (const each of lanes.values()) each.hold.abort(new RedriveError('hold-lost', 'The consumer has left its group.'))
    changed()
    await member.close(true)
    await fetcher.close(true)
  }

  const fail = (cause: unknown): void => {
    lost.abort(new RedriveError('unreachable', 'The group was lost.', { cause }))
    void end().catch(() => {})
  }
  member.on('error', fail)
  fetcher.on('error', fail)
  member.topics.trackAll(...names)
  fetcher.topics.trackAll(...names)
  await fetcher.metadata({ topics: names })
  await member.joinGroup({ partitionAssigner: amongSubscribers })
  await assigned()
  member.on('consumer:group:join', () => void assigned().then(changed, fail))
  void fetchLoop()

  const commit = coalesce(() => commitNow())
  return {
    lanes,
    lost,
    commit,
    changed,
    change,
    ripensIn: () => Math.max(1, Math.min(...[...lanes.values()].map((each) => each.ripensAt() - performance.now()), 1_000)),
    stopFetching: () => {
      fetching = false
    },
    async leave() {
      if (!over && lanes.size > 0) await commitNow(true).catch(() => {})
      await end()
    },
    vanish: end,
  }
}

function split(place: string): [string, number] {
  const slash = place.lastIndexOf('/')
  return [place.slice(0, slash), Number(place.slice(slash + 1))]
}

function dueOf({ headers }: KafkaRecord): number {
  const due = headers.find(([name]) => String(name) === dueHeader)?.[1]
  return due ? performance.now() + Number(due) - Date.now() : 0
}

function toRecord(
  topic: string,
  message: Message,
): { topic: string; key?: Buffer; value?: Buffer; headers: Map<Buffer, Buffer> } {
  const fields = fieldNames
    .filter((name) => message[name] !== undefined)
    .map((name): Header => [fieldPrefix + name, message[name] ?? ''])
  const headers = [...message.headers, ...fields].map(([name, value]): [Buffer, Buffer] => [Buffer.from(name), toBytes(value)])
  return {
    topic,
    ...(message.key === undefined ? {} : { key: Buffer.from(message.key) }),
    ...(message.body === null ? {} : { value: Buffer.from(message.body) }),
    headers: new Map(headers),
  }
}

const toBytes = (value: Header[1]): Buffer =>
  value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(headerText(value) ?? '')

function toMessage({ key, value, headers }: Record): Message {
  const all = headers.map(([name, value]): [string, Buffer] => [String(name), value ?? Buffer.alloc(0)])
  const fields = all
    .filter(([name]) => name.startsWith(fieldPrefix))
    .map(([name, value]) => [name.slice(fieldPrefix.length), value.toString()])
  return {
    ...Object.fromEntries(fields),
    body: value,
    headers: all.filter(([name]) => !name.startsWith(fieldPrefix) && name !== dueHeader),
    ...(key === null ? {} : { key: Buffer.from(key.toString()).equals(key) ? key.toString() : key }),
  }
}
