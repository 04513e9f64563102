import type { Measure } from '../seam.ts'
import { type Place, placeName } from './assign.ts'
import { fetchSome } from './browse.ts'
import type { Cluster } from './cluster.ts'
import { readNotes } from './commit-notes.ts'
import { dueOf } from './message.ts'
import { type Committed, committedOffsets, type LogRange, logRanges } from './offsets.ts'

/**
 * Counts offsets. On a compacted topic, or one that is written in transactions, some of them are no messages: the numbers are then
 * a little too high, and never too low.
 */
export async function measure(cluster: Cluster, topics: readonly string[], group: string | undefined): Promise<Measure> {
  const infos = await Promise.all(topics.map((topic) => cluster.topic(topic)))
  const places = infos.flatMap(({ name, leaders }) => leaders.map((_, partition): Place => ({ topic: name, partition })))
  const [ranges, committed] = await Promise.all([
    logRanges(cluster, places),
    group === undefined ? new Map<string, Committed>() : committedOffsets(cluster, group, places),
  ])
  let retained = 0
  let pending = 0
  const oldest: Promise<number | undefined>[] = []
  for (const place of places) {
    const range = ranges.get(placeName(place)) ?? { start: 0n, end: 0n }
    const { from, done } = cursorOf(range, committed.get(placeName(place)))
    const waiting = Number(range.end - from) - done
    retained += Number(range.end - range.start)
    pending += waiting
    if (waiting > 0) oldest.push(timeOf(cluster, place, from))
  }
  const times = (await Promise.all(oldest)).filter((time) => time !== undefined)
  return { retained, pending, ...(times.length > 0 && { oldestAt: Math.min(...times) }) }
}

/** Where the reader is, and how much it has done beyond that. */
function cursorOf({ start, end }: LogRange, committed: Committed | undefined): { from: bigint; done: number } {
  if (!committed || committed.offset < start || committed.offset > end) return { from: start, done: 0 }
  return { from: committed.offset, done: readNotes(committed.offset, committed.metadata).done.length }
}

async function timeOf(cluster: Cluster, place: Place, from: bigint): Promise<number | undefined> {
  const { records } = await fetchSome(cluster, place, from, 1)
  const [first] = records
  // A copy that waits for its time came when its time comes, not when it was written.
  return first && Math.max(first.record.timestamp, dueOf(first.record))
}
