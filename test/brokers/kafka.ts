import {
  Connection,
  createTopicsV5,
  deleteTopicsV6,
  describeGroupsV5,
  fetchV12,
  findCoordinatorV3,
  leaveGroupV4,
  metadataV11,
  type RecordsBatch,
} from '@platformatic/kafka'
import type { Broker } from '../../scripts/brokers/start.ts'
import { until } from '../until.ts'

export function portOf({ url }: Pick<Broker, 'url'>): number {
  return Number(url.slice(url.lastIndexOf(':') + 1))
}

/** Works with a bare connection, as an observer that knows nothing of ours. */
export async function barely<T>(broker: Pick<Broker, 'url'>, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = new Connection('observer')
  connection.on('error', () => {})
  await connection.connect('127.0.0.1', portOf(broker))
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** What the broker does with a member when its session is over, only at once: tests need not wait for it, nor make sessions short. */
export async function endSessionsOf(broker: Pick<Broker, 'url'>, group: string, clientId: string): Promise<void> {
  await barely(broker, async (connection) => {
    await findCoordinatorV3.api.async(connection, 0, [group])
    const { groups } = await describeGroupsV5.api.async(connection, [group], false)
    const members = (groups[0]?.members ?? []).filter((member) => member.clientId === clientId)
    if (members.length > 0)
      await leaveGroupV4.api.async(
        connection,
        group,
        members.map(({ memberId }) => ({ memberId })),
      )
  })
}

/** A record as a bare client sees it. */
export interface SeenRecord {
  readonly partition: number
  readonly offset: bigint
  readonly key: string | null
  readonly value: Buffer | null
  readonly headers: readonly (readonly [string, Buffer])[]
}

/** What stands in a topic from these offsets on, or everything, in the order of its partitions. */
export async function recordsIn(
  broker: Pick<Broker, 'url'>,
  topic: string,
  from: ReadonlyMap<number, bigint> = new Map(),
): Promise<readonly SeenRecord[]> {
  return barely(broker, async (connection) => {
    const { topics } = await metadataV11.api.async(connection, [topic], false, false)
    const seen: SeenRecord[] = []
    for (const { partitionIndex } of topics[0]?.partitions ?? [])
      seen.push(...(await readPartition(connection, topic, partitionIndex, from.get(partitionIndex) ?? 0n)))
    return seen
  })
}

async function readPartition(
  connection: Connection,
  topic: string,
  partition: number,
  first: bigint,
): Promise<readonly SeenRecord[]> {
  const seen: SeenRecord[] = []
  for (let from = first; ; from = (seen.at(-1)?.offset ?? -1n) + 1n) {
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

/** Resolves when it can be written to. */
export async function createTopic(
  broker: Pick<Broker, 'url'>,
  name: string,
  partitions = 1,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const configs = Object.entries(settings).map(([key, value]) => ({ name: key, value }))
  const topic = { name, numPartitions: partitions, replicationFactor: 1, assignments: [], configs }
  // One that was deleted a moment ago may still be in the way.
  await until(`topic ${name} is made`, async () => {
    await barely(broker, (connection) => createTopicsV5.api.async(connection, [topic], 10_000, false))
    return true
  })
  await until(`topic ${name} is led`, () => isLed(broker, name, partitions))
}

/** A leader that has been named may not know it yet: whether it answers is what counts. */
async function isLed(broker: Pick<Broker, 'url'>, name: string, partitions: number): Promise<boolean> {
  const { topics } = await barely(broker, (connection) => metadataV11.api.async(connection, [name], false, false))
  await recordsIn(broker, name)
  return topics[0]?.partitions.length === partitions
}

/** Resolves when it takes nothing more: the controller answers first, and for a moment the leader still confirms what is then lost. */
export async function deleteTopic(broker: Pick<Broker, 'url'>, name: string): Promise<void> {
  await barely(broker, async (connection) => {
    await deleteTopicsV6.api.async(connection, [{ name, topicId: null }], 10_000)
    const isLedStill = (): Promise<boolean> =>
      readPartition(connection, name, 0, 0n).then(
        () => true,
        () => false,
      )
    await until(`topic ${name} takes nothing more`, async () => !(await isLedStill()))
  })
}
