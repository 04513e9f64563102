import { hasCode, RedriveError } from '../../core/errors.ts'
import { answerTo, codes, isPassing, refusal } from './answers.ts'
import type { Cluster } from './cluster.ts'
import { confirmUpTo, failWaiters, type Lane, untilCommitted } from './lane.ts'
import type { Kafka } from './library.ts'
import type { Membership } from './membership.ts'
import type { Settings } from './options.ts'

/**
 * Tells the group where we are. One request at a time, for all partitions that have something to tell, so that settlements made close
 * together share it; and never one for a partition that is not ours: each is told under the generation in which we have it, and the
 * broker refuses any other.
 */
export interface Commits {
  /** Resolves when the group has everything that the ledger says now. What else happens in this turn of the event loop shares the request. */
  committed(lane: Lane): Promise<void>
  /**
   * The same for several, asked for by somebody who cannot go on before. Unless a request is under way, it is sent before this
   * returns: so the group takes note of a batch while the handlers work on the one before.
   */
  committedSoon(lanes: Iterable<Lane>): readonly Promise<void>[]
  /** The last word on these partitions, which are no longer among ours: whatever is in hand is given back. */
  part(lanes: readonly Lane[]): Promise<void>
}

export interface CommitPorts {
  readonly membership: () => Membership
  /** Called when the group has taken something. */
  readonly committed: () => void
}

const tryAgainAfter = 50

export function createCommits(
  kafka: Kafka,
  cluster: Cluster,
  settings: Settings,
  group: string,
  ours: ReadonlyMap<string, Lane>,
  { membership, committed }: CommitPorts,
): Commits {
  const { clock, answerWithin } = settings
  let isUnderWay = false
  let isComing = false

  function proceedSoon(): void {
    if (isComing || isUnderWay) return
    isComing = true
    clock.soon(() => {
      isComing = false
      proceed()
    })
  }

  function proceed(): void {
    const lanes = waiting()
    if (!isUnderWay && lanes.length > 0) void tellOurs(lanes)
  }

  function waiting(): readonly Lane[] {
    return [...ours.values()].filter(({ waiters }) => waiters.length > 0)
  }

  async function tellOurs(lanes: readonly Lane[]): Promise<void> {
    isUnderWay = true
    try {
      const told = await tell(lanes, false)
      // Before anybody hears of it: whoever takes more then is to find the way free.
      isUnderWay = false
      for (const { lane, version } of told) confirmUpTo(lane, version)
      committed()
    } catch (error) {
      isUnderWay = false
      for (const lane of lanes) failWaiters(lane, error)
      // Nobody knows what the group knows. Under a new generation, what is still on its way is refused.
      membership().giveUp(error)
    }
    if (waiting().length > 0) proceedSoon()
  }

  /** What the group has taken, or nothing when these partitions may be somebody else's by now. Rejects when that is not known. */
  async function tell(lanes: readonly Lane[], parting: boolean): Promise<readonly Told[]> {
    const deadline = clock.monotonic() + answerWithin
    // Under a later one some of them may be somebody else's, and the broker would take what we say of them.
    const { generation } = membership()
    for (;;) {
      const telling = lanes.map((lane) => tellingOf(lane, parting))
      const code = await send(telling, generation)
      if (code === codes.none) return telling
      if (!parting && (await hasMovedOn(code, generation))) return []
      await untilItMayPass(code, deadline)
    }
  }

  /** Then whoever called looks again. */
  async function hasMovedOn(code: number, generation: number): Promise<boolean> {
    const isMoving = code === codes.rebalanceInProgress || code === codes.illegalGeneration
    return isMoving && membership().movedOn(generation)
  }

  async function untilItMayPass(code: number, deadline: number): Promise<void> {
    if (code !== codes.rebalanceInProgress && !isPassing(code)) throw refused(code)
    if (clock.monotonic() > deadline) throw new RedriveError('unsure', 'The group did not take the commit in time.')
    if (isPassing(code)) cluster.forgetCoordinator(group)
    await new Promise<void>((resolve) => clock.after(tryAgainAfter, resolve))
  }

  async function send(telling: readonly Told[], generation: number): Promise<number> {
    const topics = new Map<string, Told[]>()
    for (const told of telling) {
      const { topic } = told.lane.place
      topics.set(topic, [...(topics.get(topic) ?? []), told])
    }
    const request = [...topics].map(([name, all]) => ({
      name,
      partitions: all.map(({ lane, offset, metadata }) => ({
        partitionIndex: lane.place.partition,
        committedOffset: offset,
        committedLeaderEpoch: -1,
        committedMetadata: metadata,
      })),
    }))
    const connection = cluster.connectedCoordinator(group, 'group') ?? (await cluster.coordinator(group, 'group'))
    const { memberId } = membership()
    return (await answerTo(kafka.offsetCommitV8.api.async(connection, group, generation, memberId, null, request))).code
  }

  function refused(code: number): RedriveError {
    const isGone = code === codes.unknownMember || code === codes.illegalGeneration || code === codes.fencedInstance
    if (isGone) return new RedriveError('hold-lost', 'The group has given our partitions to others.')
    if (code === codes.offsetMetadataTooLarge)
      return new RedriveError('refused', 'The broker takes too little metadata: set offset.metadata.max.bytes to 4096 or more.')
    return refusal(code, 'a commit', group)
  }

  return {
    committed(lane) {
      const promise = untilCommitted(lane)
      if (lane.waiters.length > 0) proceedSoon()
      return promise
    },
    committedSoon(lanes) {
      const promises = [...lanes].map(untilCommitted)
      proceed()
      return promises
    },
    async part(lanes) {
      if (lanes.length === 0) return
      try {
        for (const { lane, version } of await tell(lanes, true)) confirmUpTo(lane, version)
      } catch (error) {
        const lost = hasCode(error, 'hold-lost')
          ? error
          : new RedriveError('unsure', 'The last commit was not confirmed.', { cause: error })
        for (const lane of lanes) failWaiters(lane, lost)
      }
    },
  }
}

function tellingOf(lane: Lane, parting: boolean): Told {
  const { version } = lane.ledger
  lane.told = version
  return { lane, version, ...lane.ledger.commit(parting) }
}

interface Told {
  readonly lane: Lane
  readonly version: number
  readonly offset: bigint
  readonly metadata: string
}
