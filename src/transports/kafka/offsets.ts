import { answerTo, codes } from './answers.ts'
import { type Place, placeName } from './assign.ts'
import type { Cluster } from './cluster.ts'
import { byTopic } from './group-protocol.ts'

/** What a group has committed about a partition; absent where that is nothing. */
export interface Committed {
  readonly offset: bigint
  readonly metadata: string | null
}

export interface LogRange {
  /** The first record that is there. */
  readonly start: bigint
  /** Where the next one will be. */
  readonly end: bigint
}

const earliest = -2n
const latest = -1n
const readCommitted = 1

export async function committedOffsets(
  cluster: Cluster,
  group: string,
  places: readonly Place[],
): Promise<ReadonlyMap<string, Committed>> {
  const found = new Map<string, Committed>()
  if (places.length === 0) return found
  const { offsetFetchV7 } = await cluster.kafka
  const topics = byTopic(places).map(({ topic, partitions }) => ({ name: topic, partitionIndexes: partitions }))
  const response = await cluster.insist('to tell offsets', group, async () => {
    const connection = await cluster.coordinator(group, 'ask')
    const answer = await answerTo(offsetFetchV7.api.async(connection, [{ groupId: group, topics }], true))
    if (answer.code !== codes.none) cluster.forgetCoordinator(group)
    return answer
  })
  for (const { name, partitions } of response.topics ?? response.groups[0]?.topics ?? [])
    for (const { partitionIndex, committedOffset, metadata } of partitions)
      if (committedOffset >= 0n)
        found.set(placeName({ topic: name, partition: partitionIndex }), { offset: committedOffset, metadata: metadata ?? null })
  return found
}

/** Where each partition begins and ends for somebody who reads what is committed. */
export async function logRanges(cluster: Cluster, places: readonly Place[]): Promise<ReadonlyMap<string, LogRange>> {
  const [starts, ends] = await Promise.all([listOffsets(cluster, places, earliest), listOffsets(cluster, places, latest)])
  return new Map([...starts].map(([name, start]) => [name, { start, end: ends.get(name) ?? start }]))
}

async function listOffsets(cluster: Cluster, places: readonly Place[], timestamp: bigint): Promise<ReadonlyMap<string, bigint>> {
  const { listOffsetsV6 } = await cluster.kafka
  const anyClient = -1
  const found = new Map<string, bigint>()
  const askLeader = async (node: number, its: readonly Place[]): Promise<number> => {
    const topics = byTopic(its).map(({ topic, partitions }) => ({
      name: topic,
      partitions: partitions.map((partitionIndex) => ({ partitionIndex, currentLeaderEpoch: -1, timestamp })),
    }))
    const connection = await cluster.broker(node, 'ask')
    const { code, response } = await answerTo(listOffsetsV6.api.async(connection, anyClient, readCommitted, topics))
    for (const { name, partitions } of response.topics)
      for (const { partitionIndex, offset } of partitions)
        found.set(placeName({ topic: name, partition: partitionIndex }), offset)
    return code
  }
  await cluster.insist('to tell where a partition ends', places[0]?.topic ?? '', async () => {
    const answers = await Promise.all([...(await byLeader(cluster, places))].map(([node, its]) => askLeader(node, its)))
    const code = answers.find((each) => each !== codes.none) ?? codes.none
    if (code !== codes.none) for (const { topic } of places) cluster.forget(topic)
    return { code, response: undefined }
  })
  return found
}

async function byLeader(cluster: Cluster, places: readonly Place[]): Promise<ReadonlyMap<number, readonly Place[]>> {
  const leaders = new Map<number, Place[]>()
  for (const place of places) {
    const leader = (await cluster.topic(place.topic)).leaders[place.partition] ?? -1
    leaders.set(leader, [...(leaders.get(leader) ?? []), place])
  }
  return leaders
}

/**
 * Where a group goes on. Offsets below the log were lost to its retention; offsets beyond its end belong to a topic that was deleted
 * and made anew, and what was noted about them says nothing about this one.
 */
export function whereToBegin(committed: Committed | undefined, range: LogRange, startAt: 'earliest' | 'latest'): Committed {
  if (!committed) return { offset: startAt === 'earliest' ? range.start : range.end, metadata: null }
  if (committed.offset > range.end) return { offset: range.start, metadata: null }
  return committed
}
