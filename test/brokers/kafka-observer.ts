import {
  type Connection,
  createTopicsV5,
  deleteTopicsV6,
  fetchV12,
  metadataV11,
  offsetFetchV7,
  produceV9,
  type RecordsBatch,
} from '@platformatic/kafka'
import { expect, vi } from 'vitest'
import type { Broker } from '../../scripts/brokers/start.ts'
import { barely } from './kafka.ts'

/** A record as a bare client sees it. */
export interface SeenRecord {
  readonly partition: number
  readonly offset: bigint
  readonly key: string | null
  readonly value: Buffer | null
  readonly headers: readonly (readonly [string, Buffer])[]
}

/** Everything that stands in a topic, in the order of its partitions. */
export async function recordsIn(broker: Pick<Broker, 'url'>, topic: string): Promise<readonly SeenRecord[]> {
  return barely(broker, async (connection) => {
    const { topics } = await metadataV11.api.async(connection, [topic], false, false)
    const seen: SeenRecord[] = []
    for (const { partitionIndex } of topics[0]?.partitions ?? [])
      seen.push(...(await readPartition(connection, topic, partitionIndex)))
    return seen
  })
}

async function readPartition(connection: Connection, topic: string, partition: number): Promise<readonly SeenRecord[]> {
  const seen: SeenRecord[] = []
  for (let from = 0n; ; from = (seen.at(-1)?.offset ?? -1n) + 1n) {
    const asked = [{ partition, currentLeaderEpoch: -1, fetchOffset: from, lastFetchedEpoch: -1, partitionMaxBytes: 1_000_000 }]
    const topics = [{ topicId: topic, partitions: asked }]
    const { responses } = await fetchV12.api.async(connection, 1, 0, 10_000_000, 1, 0, -1, topics, [], '')
    const batches = responses[0]?.partitions[0]?.records ?? []
    const found = batches.flatMap((batch) => seenIn(batch, partition)).filter(({ offset }) => offset >= from)
    if (found.length === 0) return seen
    seen.push(...found)
  }
}

function seenIn({ firstOffset, records }: RecordsBatch, partition: number): readonly SeenRecord[] {
  return records.map(({ key, value, headers, offsetDelta }) => ({
    partition,
    offset: firstOffset + BigInt(offsetDelta),
    key: key?.toString() ?? null,
    value,
    headers: headers.map(([name, bytes]): [string, Buffer] => [String(name), bytes ?? Buffer.alloc(0)]),
  }))
}

export interface PlainRecord {
  readonly key?: string
  readonly value: string | Buffer | null
  readonly headers?: Readonly<Record<string, string>>
  readonly partition?: number
}

/** Writes as any producer does, with nothing of ours. */
export async function produce(broker: Pick<Broker, 'url'>, topic: string, ...records: readonly PlainRecord[]): Promise<void> {
  await barely(broker, async (connection) => {
    for (const { key, value, headers = {}, partition = 0 } of records) {
      const named = new Map(Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)]))
      const bytes = value === null ? undefined : Buffer.from(value)
      const record = {
        topic,
        partition,
        headers: named,
        value: bytes as Buffer,
        ...(key !== undefined && { key: Buffer.from(key) }),
      }
      await produceV9.api.async(connection, -1, 10_000, [record], {})
    }
  })
}

export async function createTopic(
  broker: Pick<Broker, 'url'>,
  name: string,
  partitions = 1,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const configs = Object.entries(settings).map(([key, value]) => ({ name: key, value }))
  const topic = { name, numPartitions: partitions, replicationFactor: 1, assignments: [], configs }
  await barely(broker, (connection) => createTopicsV5.api.async(connection, [topic], 10_000, false))
  await vi.waitFor(async () => {
    const { topics } = await barely(broker, (connection) => metadataV11.api.async(connection, [name], false, false))
    expect(topics[0]?.partitions.filter(({ leaderId }) => leaderId >= 0)).toHaveLength(partitions)
    // A leader that has been named may not know it yet.
    expect(await recordsIn(broker, name)).toEqual([])
  }, 30_000)
}

export async function deleteTopic(broker: Pick<Broker, 'url'>, name: string): Promise<void> {
  await barely(broker, (connection) => deleteTopicsV6.api.async(connection, [{ name, topicId: null }], 10_000))
}

/** What the group has committed for a partition; -1 where that is nothing. */
export async function committedOf(broker: Pick<Broker, 'url'>, group: string, topic: string, partition = 0): Promise<bigint> {
  return barely(broker, async (connection) => {
    const asked = [{ groupId: group, topics: [{ name: topic, partitionIndexes: [partition] }] }]
    const { topics } = await offsetFetchV7.api.async(connection, asked, true)
    return topics[0]?.partitions[0]?.committedOffset ?? -1n
  })
}
