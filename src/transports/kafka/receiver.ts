import { RedriveError } from '../../core/errors.ts'
import type { Address, Delivery, Receiver, Settlement } from '../seam.ts'
import { type Place, placeName } from './assign.ts'
import type { Cluster } from './cluster.ts'
import { createCommits } from './commits.ts'
import { createFetching } from './fetching.ts'
import { createLane, failWaiters, isSuspectNext, type Lane, loseHold, sizeOf, takeFrom } from './lane.ts'
import type { Handed } from './ledger.ts'
import { joinGroup, type Membership } from './membership.ts'
import { type StoredRecord, toMessage } from './message.ts'
import { committedOffsets, logRanges, whereToBegin } from './offsets.ts'
import type { Settings } from './options.ts'

/** A receiver of one channel: a member of its group that reads the topic and, along with it, the retry topics of the group. */
export interface KafkaReceiver extends Receiver {
  /** Gives back everything that is held, uncounted, and leaves. */
  end(): Promise<void>
}

/** Under this key a delivery bears what only we know about it: a map from deliveries would cost more than all the rest. */
const handle = Symbol('handle')

interface KafkaDelivery extends Delivery {
  readonly [handle]: Held
}

interface Held {
  readonly lane: Lane
  readonly offset: bigint
  readonly size: number
  readonly settle: (held: Held, settlement: Settlement) => Promise<void>
  /** The version of the ledger that knows what became of it; 0 for none. A commit that failed may be tried again. */
  settledIn: number
}

export interface GroupAddress extends Address {
  readonly group: string
}

/** `topics`: the channel's own and those of its retries. */
export async function openReceiver(
  cluster: Cluster,
  settings: Settings,
  address: GroupAddress,
  topics: readonly string[],
): Promise<KafkaReceiver> {
  const { clock } = settings
  const reader = cluster.newReader()
  const lanes = new Map<string, Lane>()
  const lost = new AbortController()
  let membership: Membership | undefined
  let closed = false
  let ending: Promise<void> | undefined
  let wake = (): void => {}
  /** Somebody takes, and there was nothing to hand out. */
  let isWaiting = false
  let turn = 0

  const commits = createCommits(await cluster.kafka, cluster, settings, address.group, lanes, {
    membership: () => memberOf(membership),
    // Where as much is in hand as can be noted, there is room again.
    committed: () => wake(),
  })
  const fetching = createFetching(cluster, settings, reader, lanes, {
    isIdle: () => isWaiting,
    arrived: () => wake(),
    trouble: () => membership?.check(),
    lost: (error) => membership?.giveUp(error),
  })

  function lose(error: unknown): void {
    fetching.stop()
    for (const lane of lanes.values()) failWaiters(lane, loseHold(lane, error))
    lanes.clear()
    const reason =
      error instanceof RedriveError ? error : new RedriveError('unreachable', 'The group was lost.', { cause: error })
    lost.abort(reason)
    wake()
    void cluster.closeReader(reader)
  }

  async function assigned(places: readonly Place[]): Promise<boolean> {
    const wanted = new Map(places.map((place) => [placeName(place), place]))
    const gone = [...lanes.values()].filter(({ name }) => !wanted.has(name))
    for (const lane of gone) {
      lanes.delete(lane.name)
      loseHold(lane)
    }
    await commits.part(gone)
    await openLanes([...wanted.values()].filter((place) => !lanes.has(placeName(place))))
    fetching.proceed()
    wake()
    // What moved to others may have been the last that it stayed for.
    leaveWhenDone()
    return gone.length > 0
  }

  async function openLanes(places: readonly Place[]): Promise<void> {
    const [committed, ranges] = await Promise.all([committedOffsets(cluster, address.group, places), logRanges(cluster, places)])
    for (const place of places) {
      const name = placeName(place)
      const range = ranges.get(name)
      if (!range) throw new RedriveError('unreachable', `Nobody leads partition ${name} at the moment.`)
      // A retry is for the group that it was sent to, also when its first consumer comes later.
      const startAt = place.topic === address.name ? settings.startAt : 'earliest'
      const { offset, metadata } = whereToBegin(committed.get(name), range, startAt)
      lanes.set(name, createLane(place, offset, metadata))
    }
  }

  /** Suspects first, each alone; else from all partitions in turn. */
  function handOut(max: number): readonly KafkaDelivery[] {
    const now = clock.now()
    const all = [...lanes.values()]
    const suspect = all.find((lane) => isSuspectNext(lane, now))
    if (suspect) return suspect.ledger.take(1, now).map((handed) => deliver(suspect, handed))
    const deliveries: KafkaDelivery[] = []
    turn++
    for (let index = 0; index < all.length && deliveries.length < max; index++) {
      const lane = all[(index + turn) % all.length] as Lane
      for (const handed of takeFrom(lane, max - deliveries.length, now)) deliveries.push(deliver(lane, handed))
    }
    return deliveries
  }

  function deliver(lane: Lane, { offset, value, turns, suspect }: Handed<StoredRecord>): KafkaDelivery {
    const size = sizeOf(value)
    lane.bufferedBytes -= size
    return {
      message: toMessage(value),
      address,
      position: `${lane.name}/${offset}`,
      lane: lane.name,
      deliveries: 1,
      turns,
      suspect,
      heldUntil: Number.POSITIVE_INFINITY,
      enqueuedAt: value.timestamp,
      hold: lane.hold,
      [handle]: { lane, offset, size, settle, settledIn: 0 },
    }
  }

  /** Nobody sees a delivery before the group knows of it; or a message that kills its consumer would leave no trace. */
  async function begin(deliveries: readonly KafkaDelivery[]): Promise<readonly KafkaDelivery[]> {
    if (deliveries.length === 0) return deliveries
    const begun = new Set(deliveries.map((delivery) => delivery[handle].lane))
    const outcomes = await Promise.allSettled(commits.committedSoon(begun))
    fetching.look()
    if (outcomes.some(({ status }) => status === 'rejected') && lost.signal.aborted) return []
    return deliveries.filter((delivery) => !delivery.hold.signal.aborted)
  }

  function changed(ms: number): Promise<void> {
    isWaiting = true
    fetching.look()
    return new Promise((resolve) => {
      const cancel = clock.after(ms, () => wake())
      wake = () => {
        isWaiting = false
        cancel()
        wake = () => {}
        resolve()
      }
    })
  }

  function ripensIn(): number {
    const at = Math.min(...[...lanes.values()].map(({ ledger }) => ledger.ripensAt()))
    return Math.max(1, at - clock.now())
  }

  async function take(max: number, wait: number): Promise<readonly Delivery[]> {
    const until = clock.monotonic() + wait
    while (!closed && !lost.signal.aborted) {
      const deliveries = await begin(handOut(max))
      if (closed) return giveBack(deliveries)
      if (deliveries.length > 0) return deliveries
      const left = until - clock.monotonic()
      if (left <= 0 || closed || lost.signal.aborted) return []
      await changed(Math.min(left, ripensIn(), longestSleep))
    }
    return []
  }

  function giveBack(deliveries: readonly KafkaDelivery[]): readonly Delivery[] {
    for (const {
      [handle]: { lane, offset },
    } of deliveries)
      lane.ledger.release(offset)
    leaveWhenDone()
    return []
  }

  /** Throws where it rejects; those that are settled close together share a promise. */
  function settle(mine: Held, settlement: Settlement): Promise<void> {
    const { lane } = mine
    if (mine.settledIn > 0 && mine.settledIn <= lane.committed) return Promise.resolve()
    if (lane.hold.signal.aborted) throw lane.hold.signal.reason
    if (mine.settledIn === 0) apply(mine, settlement)
    const committed = commits.committed(lane)
    return closed ? committed.then(leaveWhenDone) : committed
  }

  function apply(mine: Held, settlement: Settlement): void {
    const { ledger } = mine.lane
    if (settlement.kind === 'complete') ledger.complete(mine.offset)
    else giveBackAs(mine, settlement)
    mine.settledIn = ledger.version
  }

  function giveBackAs({ lane, offset, size }: Held, settlement: Settlement): void {
    const { ledger } = lane
    if (settlement.kind === 'reject' || settlement.kind === 'move')
      throw new RedriveError('unsupported', `Kafka has no ${settlement.kind}: send a copy, then complete.`)
    if (settlement.kind === 'retry' && settlement.headers)
      throw new RedriveError('unsupported', 'A record of a log cannot change: send a copy to change its headers.')
    if (settlement.kind === 'retry' && !ledger.retry(offset, clock.now() + settlement.delay))
      throw new RedriveError('refused', `As many records of ${lane.name} as can be remembered wait for a retry.`)
    if (settlement.kind === 'release') ledger.release(offset)
    lane.bufferedBytes += size
    wake()
  }

  /** A receiver that was closed stays in the group for what it gave out, and no longer. */
  function leaveWhenDone(): void {
    if (closed && [...lanes.values()].every(({ ledger }) => ledger.inHand === 0)) void end()
  }

  function end(): Promise<void> {
    ending ??= leave()
    return ending
  }

  async function leave(): Promise<void> {
    closed = true
    fetching.stop()
    wake()
    await membership?.movedOn(membership.generation)
    const last = [...lanes.values()]
    lanes.clear()
    await commits.part(last)
    for (const lane of last) loseHold(lane)
    await membership?.leave()
    await cluster.closeReader(reader)
  }

  const owned = (): readonly Place[] => [...lanes.values()].map(({ place }) => place)
  try {
    membership = await joinGroup(cluster, settings, reader, address.group, topics, { owned, assigned, lost: lose })
  } catch (error) {
    lose(error)
    throw error
  }

  return {
    take,
    lost: lost.signal,
    end,
    async close() {
      closed = true
      fetching.stop()
      wake()
      if ([...lanes.values()].every(({ ledger }) => ledger.inHand === 0)) await end()
    },
  }
}

/** Whichever receiver gave it out, also one that is gone. Throws what it would reject with. */
export function settleDelivery(delivery: Delivery, settlement: Settlement): Promise<void> {
  const held = (delivery as Partial<KafkaDelivery>)[handle]
  if (!held) throw new RedriveError('hold-lost', 'This delivery did not come from Kafka.')
  return held.settle(held, settlement)
}

/** So that no timer is longer than a timer can be. */
const longestSleep = 60_000

function memberOf(membership: Membership | undefined): Membership {
  if (membership) return membership
  throw new RedriveError('not-running', 'The member has not joined its group yet.')
}
