import { RedriveError } from '../../core/errors.ts'
import type { Page, PageRequest } from '../seam.ts'
import { codes, refusal } from './answers.ts'
import { type Place, placeName } from './assign.ts'
import type { Cluster } from './cluster.ts'
import { fetchRecords } from './fetch.ts'
import { toMessage } from './message.ts'
import { logRanges } from './offsets.ts'
import type { FetchedBatch, OffsetRecord } from './records.ts'

const maxWait = 1
const maxBytes = 1024 * 1024

/** Reads by offset, without a group: nobody's cursor moves. Oldest first over all partitions, by the time of the record. */
export async function browse(cluster: Cluster, topic: string, { limit, after }: PageRequest): Promise<Page> {
  const { leaders } = await cluster.topic(topic, true)
  const places = leaders.map((_, partition): Place => ({ topic, partition }))
  const ranges = await logRanges(cluster, places)
  const cursor = readCursor(after)
  const parts = await Promise.all(
    places.map(async (place) => {
      const { start, end } = ranges.get(placeName(place)) ?? { start: 0n, end: 0n }
      const asked = cursor.get(place.partition) ?? start
      // A topic that was deleted and made anew counts from 0 again: a place behind its end is one of the old topic.
      const from = asked < start || asked > end ? start : asked
      return { place, from, end, records: await fetchUpTo(cluster, place, from, end, limit) }
    }),
  )
  const merged = parts
    .flatMap(({ place, records }) => records.map((record) => ({ place, ...record })))
    .sort((one, other) => one.record.timestamp - other.record.timestamp || byPlace(one, other))
    .slice(0, limit)
  const next = parts.map(({ place, from, end, records }) => {
    const shown = merged.filter((each) => each.place === place).length
    const offset = shown < records.length ? (records[shown] as OffsetRecord).offset : endOf(records, from, end, limit)
    return { partition: place.partition, offset, isOver: offset >= end }
  })
  return {
    messages: merged.map(({ place, offset, record }) => ({
      message: toMessage(record),
      position: `${placeName(place)}/${offset}`,
      deliveries: 1,
      enqueuedAt: record.timestamp,
    })),
    ...(next.some(({ isOver }) => !isOver) && { next: next.map(({ partition, offset }) => `${partition}:${offset}`).join(',') }),
  }
}

function byPlace(one: { place: Place; offset: bigint }, other: { place: Place; offset: bigint }): number {
  return one.place.partition - other.place.partition || (one.offset < other.offset ? -1 : 1)
}

/** Where fewer came than were asked for, there are none up to the end. */
function endOf(records: readonly OffsetRecord[], from: bigint, end: bigint, limit: number): bigint {
  const last = records.at(-1)
  if (records.length < limit) return end
  return last === undefined ? from : last.offset + 1n
}

function readCursor(after: string | undefined): ReadonlyMap<number, bigint> {
  if (after === undefined) return new Map()
  const entries = after.split(',').map((each) => /^(\d+):(\d+)$/.exec(each))
  return new Map(
    entries.map((entry): [number, bigint] => {
      if (!entry) throw new RedriveError('bad-option', 'after is not the next of a page before.')
      return [Number(entry[1]), BigInt(entry[2] ?? 0)]
    }),
  )
}

async function fetchUpTo(cluster: Cluster, place: Place, from: bigint, end: bigint, limit: number): Promise<OffsetRecord[]> {
  const records: OffsetRecord[] = []
  for (let at = from; at < end && records.length < limit; ) {
    const some = await fetchSome(cluster, place, at, limit - records.length)
    records.push(...some.records.filter(({ offset }) => offset < end))
    if (some.next <= at) break
    at = some.next
  }
  return records
}

/** At most `limit` records from an offset on, and where the next ones are. */
export async function fetchSome(
  cluster: Cluster,
  { topic, partition }: Place,
  from: bigint,
  limit: number,
): Promise<{ readonly records: readonly OffsetRecord[]; readonly next: bigint }> {
  const leader = (await cluster.topic(topic)).leaders[partition] ?? -1
  const connection = await cluster.broker(leader, 'ask')
  const topics = [{ topic, partitions: [{ partition, from, maxBytes }] }]
  const [found] = await fetchRecords(await cluster.kafka, connection, { maxWait, minBytes: 0, maxBytes, topics })
  const { code, batches } = found ?? { code: codes.unknownTopic, batches: [] }
  if (code !== codes.none) {
    cluster.forget(topic)
    throw refusal(code, 'to show messages', topic)
  }
  // A fetch begins with the batch that holds the offset, which may begin before it.
  const records = batches.flatMap(allOf).filter(({ offset }) => offset >= from)
  const isCut = records.length > limit
  const last = records[limit - 1]
  return { records: records.slice(0, limit), next: isCut && last ? last.offset + 1n : (batches.at(-1)?.next ?? from) }
}

function allOf(batch: FetchedBatch): readonly OffsetRecord[] {
  const records: OffsetRecord[] = []
  for (let record = batch.read(); record; record = batch.read()) records.push(record)
  return records
}
