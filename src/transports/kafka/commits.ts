import { hasCode, RedriveError } from '../../core/errors.ts'
import { answerTo, codes, isPassing, refusal } from './answers.ts'
import type { Cluster } from './cluster.ts'
import { confirmUpTo, failWaiters, type Lane } from './lane.ts'
import type { Membership } from './membership.ts'
import type { Settings } from './options.ts'

/**
 * Tells the group where we are. One request at a time, for all partitions that have something to tell, so that settlements made close
 * together share it; and never one for a partition that is not ours: each is told under the generation in which we have it, and the
 * broker refuses any other.
 */
export interface Commits {
  /** Resolves when the group has everything that the ledger says now. */
  committed(lane: Lane): Promise<void>
  /** The last word on these partitions, which are no longer among ours: whatever is in hand is given back. */
  part(lanes: readonly Lane[]): Promise<void>
}

const tryAgainAfter = 50

export function createCommits(
  cluster: Cluster,
  settings: Settings,
  group: string,
  ours: ReadonlyMap<string, Lane>,
  membership: () => Membership,
): Commits {
  const { clock, answerWithin } = settings
  let running = false

  function start(): void {
    if (running) return
    running = true
    void run().finally(() => {
      running = false
      if (waiting().length > 0) start()
    })
  }

  function waiting(): readonly Lane[] {
    return [...ours.values()].filter(({ waiters }) => waiters.length > 0)
  }

  async function run(): Promise<void> {
    // Whatever is settled in the same turn of the event loop shares the request.
    await new Promise<void>((resolve) => clock.soon(resolve))
    for (let lanes = waiting(); lanes.length > 0; lanes = waiting()) {
      try {
        await tell(lanes, false)
      } catch (error) {
        for (const lane of lanes) failWaiters(lane, error)
        // Nobody knows what the group knows. Under a new generation, what is still on its way is refused.
        membership().giveUp(error)
        return
      }
    }
  }

  /** Rejects when it is not known whether the group has it. */
  async function tell(lanes: readonly Lane[], parting: boolean): Promise<void> {
    const deadline = clock.monotonic() + answerWithin
    for (;;) {
      const { generation } = membership()
      const telling = lanes.map((lane) => ({ lane, version: lane.ledger.version, ...lane.ledger.commit(parting) }))
      const code = await send(telling, generation)
      if (code === codes.none) {
        for (const { lane, version } of telling) confirmUpTo(lane, version)
        return
      }
      if (!parting && (await hasMovedOn(code, generation))) return
      await untilItMayPass(code, deadline)
    }
  }

  /** Some of these partitions may be somebody else's by now: whoever called looks again. */
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
    const { offsetCommitV8 } = await cluster.kafka
    const connection = await cluster.coordinator(group, 'group')
    const { memberId } = membership()
    return (await answerTo(offsetCommitV8.api.async(connection, group, generation, memberId, null, request))).code
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
      const { version } = lane.ledger
      if (version <= lane.committed) return Promise.resolve()
      return new Promise<void>((resolve, reject) => {
        lane.waiters.push({ version, resolve, reject })
        start()
      })
    },
    async part(lanes) {
      if (lanes.length === 0) return
      try {
        await tell(lanes, true)
      } catch (error) {
        const lost = hasCode(error, 'hold-lost')
          ? error
          : new RedriveError('unsure', 'The last commit was not confirmed.', { cause: error })
        for (const lane of lanes) failWaiters(lane, lost)
      }
    },
  }
}

interface Told {
  readonly lane: Lane
  readonly version: number
  readonly offset: bigint
  readonly metadata: string
}
