import { hasCode, RedriveError } from '../../core/errors.ts'
import { answerTo, codes, isPassing, refusal } from './answers.ts'
import { placeName } from './assign.ts'
import type { Cluster } from './cluster.ts'
import type { Lane } from './lane.ts'
import { dueOf, orderKeyOf } from './message.ts'
import { logRanges } from './offsets.ts'
import type { Settings } from './options.ts'
import { readBatches } from './records.ts'

/** Keeps the partitions that are ours filled ahead of what is asked for, one loop for each broker that leads some. */
export interface Fetching {
  /** Partitions came or went. */
  proceed(): void
  /** Something was handed out: a partition may have room again. */
  handedOut(): void
  stop(): void
}

export interface FetchListener {
  /** There is more to hand out. */
  arrived(): void
  /** A broker cannot be asked. */
  trouble(): void
  lost(error: unknown): void
}

/** What a partition may have waiting before no more is fetched. */
const enoughRecords = 1000
const enoughBytes = 4 * 1024 * 1024
const partitionMaxBytes = 1024 * 1024
const maxBytes = 16 * 1024 * 1024
/**
 * How long a broker may wait for something to tell. Whatever wants something meanwhile has to wait as well: a partition that comes, or
 * one that had enough and no longer has. So it only waits where all of ours want something.
 */
const maxWait = 250
const tryAgainAfter = 100
const readCommitted = 1

export function createFetching(
  cluster: Cluster,
  settings: Settings,
  reader: number,
  ours: ReadonlyMap<string, Lane>,
  listener: FetchListener,
): Fetching {
  const { clock } = settings
  const asleep = new Map<number, Sleep>()
  const awake = new Set<number>()
  let stopped = false

  async function lanesByLeader(): Promise<Map<number, Lane[]>> {
    const leaders = new Map<number, Lane[]>()
    for (const lane of ours.values()) {
      const leader = (await cluster.topic(lane.place.topic)).leaders[lane.place.partition] ?? -1
      leaders.set(leader, [...(leaders.get(leader) ?? []), lane])
    }
    return leaders
  }

  async function wakeAll(): Promise<void> {
    const leaders = await lanesByLeader()
    for (const node of leaders.keys()) asleep.get(node)?.wake()
    startLoops(leaders)
  }

  function startLoops(leaders: ReadonlyMap<number, unknown>): void {
    for (const node of leaders.keys()) if (!awake.has(node)) void loop(node)
  }

  async function loop(node: number): Promise<void> {
    awake.add(node)
    while (!stopped) {
      try {
        const leaders = await lanesByLeader()
        // Some of them may be led by another broker now.
        startLoops(leaders)
        const lanes = leaders.get(node) ?? []
        if (lanes.length === 0) break
        await feed(node, lanes)
      } catch (error) {
        if (hasCode(error, 'closed') || hasCode(error, 'access-denied')) return listener.lost(error)
        await recover()
      }
    }
    awake.delete(node)
    // Some may have come while this one looked for the last time.
    if (!stopped && ours.size > 0) proceed()
  }

  async function feed(node: number, lanes: readonly Lane[]): Promise<void> {
    const hungry = lanes.filter(isHungry)
    const sated = lanes.filter((lane) => !isHungry(lane))
    if (sated.length === 0) await fetchOnce(node, hungry, maxWait)
    else if (hungry.length === 0 || !(await fetchOnce(node, hungry, 0))) await sleep(node, sated)
  }

  async function recover(): Promise<void> {
    listener.trouble()
    for (const { place } of ours.values()) cluster.forget(place.topic)
    await new Promise<void>((resolve) => clock.after(tryAgainAfter, resolve))
  }

  /** Until one of the sated wants something; those that had nothing for us are asked again after a while. */
  function sleep(node: number, sated: readonly Lane[]): Promise<void> {
    if (sated.some(isHungry)) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel()
        asleep.delete(node)
        resolve()
      }
      const cancel = clock.after(maxWait, wake)
      asleep.set(node, { sated, wake })
    })
  }

  /** Tells whether there was something. */
  async function fetchOnce(node: number, lanes: readonly Lane[], wait: number): Promise<boolean> {
    const topics = new Map<string, Lane[]>()
    for (const lane of lanes) topics.set(lane.place.topic, [...(topics.get(lane.place.topic) ?? []), lane])
    const request = [...topics].map(([topicId, all]) => ({ topicId, partitions: all.map(partitionRequest) }))
    const { fetchV12 } = await cluster.kafka
    const connection = await cluster.broker(node, `fetch of ${reader}`)
    const asked = fetchV12.api.async(connection, wait, 1, maxBytes, readCommitted, 0, -1, request, [], '')
    const { response } = await answerTo(asked)
    let failure: unknown
    let found = false
    for (const { topicId, partitions } of response.responses)
      for (const { partitionIndex, errorCode, records, abortedTransactions } of partitions) {
        const lane = ours.get(placeName({ topic: topicId, partition: partitionIndex }))
        if (!lane) continue
        if (errorCode === codes.none) found = keep(lane, readBatches(records ?? [], abortedTransactions)) || found
        else failure ??= await answerError(lane, errorCode).catch((error) => error)
      }
    if (found) listener.arrived()
    if (failure) throw failure
    return found
  }

  async function answerError(lane: Lane, code: number): Promise<void> {
    if (code !== codes.offsetOutOfRange) {
      const error = refusal(code, 'a fetch', lane.place.topic)
      if (isPassing(code)) throw error
      return listener.lost(error)
    }
    const { start } = (await logRanges(cluster, [lane.place])).get(lane.name) ?? { start: 0n }
    if (start > lane.ledger.next) lane.ledger.fetchedTo(start)
    else listener.lost(new RedriveError('hold-lost', `Topic "${lane.place.topic}" ends before the place where we are.`))
  }

  function proceed(): void {
    if (!stopped) wakeAll().catch(() => recover().then(proceed))
  }

  return {
    proceed,
    handedOut() {
      for (const { sated, wake } of asleep.values()) if (sated.some(isHungry)) wake()
    },
    stop() {
      stopped = true
      for (const { wake } of asleep.values()) wake()
    },
  }
}

/** A loop whose partitions have enough, or have nothing for us. */
interface Sleep {
  readonly sated: readonly Lane[]
  readonly wake: () => void
}

function isHungry({ ledger, bufferedBytes }: Lane): boolean {
  return ledger.waiting < enoughRecords && bufferedBytes < enoughBytes
}

function partitionRequest({ place, ledger }: Lane) {
  return {
    partition: place.partition,
    currentLeaderEpoch: -1,
    fetchOffset: ledger.next,
    lastFetchedEpoch: -1,
    partitionMaxBytes,
  }
}

/** Tells whether there was something. */
function keep(lane: Lane, batches: ReturnType<typeof readBatches>): boolean {
  const { ledger } = lane
  for (const { records, next } of batches) {
    for (const { offset, record } of records) {
      if (offset < ledger.next) continue
      ledger.add({ offset, key: orderKeyOf(record), due: dueOf(record), value: record })
      lane.bufferedBytes += sizeOf(record)
    }
    ledger.fetchedTo(next)
  }
  return batches.length > 0
}

export function sizeOf({ value }: { readonly value: Buffer | null }): number {
  return value?.length ?? 0
}
