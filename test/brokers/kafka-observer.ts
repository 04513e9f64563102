import { offsetFetchV7, produceV9 } from '@platformatic/kafka'
import type { Broker } from '../../scripts/brokers/start.ts'
import { barely } from './kafka.ts'

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

/** What the group has committed for a partition; -1 where that is nothing. */
export async function committedOf(broker: Pick<Broker, 'url'>, group: string, topic: string, partition = 0): Promise<bigint> {
  return barely(broker, async (connection) => {
    const asked = [{ groupId: group, topics: [{ name: topic, partitionIndexes: [partition] }] }]
    const { topics } = await offsetFetchV7.api.async(connection, asked, true)
    return topics[0]?.partitions[0]?.committedOffset ?? -1n
  })
}
