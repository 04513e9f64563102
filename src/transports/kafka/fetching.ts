import { hasCode, RedriveError } from '../../core/errors.ts'
import { codes, isPassing, refusal } from './answers.ts'
import { placeName } from './assign.ts'
import type { Cluster } from './cluster.ts'
import { type FetchRequest, fetchRecords } from './fetch.ts'
import { buffered, fetchedTo, keep, type Lane } from './lane.ts'
import { logRanges } from './offsets.ts'
import type { Settings } from './options.ts'
import { nothingUpTo } from './records.ts'

/** Keeps the partitions that are ours filled ahead of what is asked for, one loop for each broker that leads some. */
export interface Fetching {
  /** Partitions came or went. */
  proceed(): void
  /** Something was handed out, or somebody waits for something: look whether a partition wants more. */
  look(): void
  stop(): void
}

export interface FetchListener {
  /** Somebody waits, and nothing of what was fetched can be handed out yet. */
  isIdle(): boolean
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
 * one that had enough and no longer has. So it only waits where all of ours are starving or nobody can take what they have; else a
 * partition that had nothing is not asked again for as long.
 */
const maxWait = 250
const tryAgainAfter = 100

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

  /** While some still have enough to go on with, nobody may keep them waiting, and many are asked for at a time. */
  async function feed(node: number, lanes: readonly Lane[]): Promise<void> {
    const hungry = lanes.filter(isHungry)
    const lively = hungry.filter((lane) => !isQuiet(lane))
    if (hungry.length > 0 && mayWait(lanes)) await fetchOnce(node, hungry, maxWait)
    else if (lively.some(isStarving)) await fetchOnce(node, lively, 0)
    else await sleep(node, lanes)
  }

  function mayWait(lanes: readonly Lane[]): boolean {
    return listener.isIdle() || lanes.every(isStarving)
  }

  function isQuiet(lane: Lane): boolean {
    return lane.quietUntil > clock.monotonic()
  }

  async function recover(): Promise<void> {
    listener.trouble()
    for (const { place } of ours.values()) cluster.forget(place.topic)
    await new Promise<void>((resolve) => clock.after(tryAgainAfter, resolve))
  }

  function sleep(node: number, lanes: readonly Lane[]): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel()
        asleep.delete(node)
        resolve()
      }
      const cancel = clock.after(maxWait, wake)
      asleep.set(node, { lanes, wake })
    })
  }

  async function fetchOnce(node: number, lanes: readonly Lane[], wait: number): Promise<void> {
    const connection = await cluster.broker(node, `fetch of ${reader}`)
    const request = { maxWait: wait, minBytes: 1, maxBytes, topics: byTopic(lanes) }
    const asked = new Map(lanes.map((lane) => [lane.name, lane]))
    let failure: unknown
    let found = false
    for (const { topic, partition, code, batches } of await fetchRecords(await cluster.kafka, connection, request)) {
      const lane = asked.get(placeName({ topic, partition }))
      // One that went and came back meanwhile may begin elsewhere: what was asked for before would leave a gap in it.
      if (!lane || ours.get(lane.name) !== lane) continue
      if (code === codes.none) {
        keep(lane, batches)
        lane.quietUntil = batches.length > 0 ? 0 : clock.monotonic() + maxWait
        found ||= batches.length > 0
      } else failure ??= await answerError(lane, code).catch((error) => error)
    }
    if (found) listener.arrived()
    if (failure) throw failure
  }

  async function answerError(lane: Lane, code: number): Promise<void> {
    if (code !== codes.offsetOutOfRange) {
      const error = refusal(code, 'a fetch', lane.place.topic)
      if (isPassing(code)) throw error
      return listener.lost(error)
    }
    const { start } = (await logRanges(cluster, [lane.place])).get(lane.name) ?? { start: 0n }
    if (start > fetchedTo(lane)) keep(lane, [nothingUpTo(start)])
    else listener.lost(new RedriveError('hold-lost', `Topic "${lane.place.topic}" ends before the place where we are.`))
  }

  function proceed(): void {
    if (!stopped) wakeAll().catch(() => recover().then(proceed))
  }

  return {
    proceed,
    look() {
      for (const { lanes, wake } of asleep.values())
        if (listener.isIdle() || lanes.some((lane) => isStarving(lane) && !isQuiet(lane))) wake()
    },
    stop() {
      stopped = true
      for (const { wake } of asleep.values()) wake()
    },
  }
}

/** A loop whose partitions have enough, or had nothing for us when they were asked. */
interface Sleep {
  readonly lanes: readonly Lane[]
  readonly wake: () => void
}

function isHungry(lane: Lane): boolean {
  return lane.bufferedBytes < enoughBytes && buffered(lane) < enoughRecords
}

/** Half of enough is left for the time that a fetch takes. */
function isStarving(lane: Lane): boolean {
  return lane.bufferedBytes < enoughBytes / 2 && buffered(lane) < enoughRecords / 2
}

function byTopic(lanes: readonly Lane[]): FetchRequest['topics'] {
  const topics = Map.groupBy(lanes, ({ place }) => place.topic)
  return [...topics].map(([topic, its]) => ({
    topic,
    partitions: its.map((lane) => ({ partition: lane.place.partition, from: fetchedTo(lane), maxBytes: partitionMaxBytes })),
  }))
}
