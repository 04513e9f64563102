import { answerTo, codes, isPassing, refusal } from './answers.ts'
import { assign, type Place } from './assign.ts'
import { type Cluster, rebalanceWithin } from './cluster.ts'
import {
  protocolName,
  protocolType,
  readAssignment,
  readSubscription,
  writeAssignment,
  writeSubscription,
} from './group-protocol.ts'
import type { Settings } from './options.ts'

/**
 * One member of a consumer group: joins, says that it is alive, joins again when the group changes, and leaves. It goes from joining
 * to a generation to the next one, and ends when it leaves or when the group has given it up; a member that was given up never
 * comes back, because what it had may be in other hands.
 */
export interface Membership {
  readonly memberId: string
  readonly generation: number
  /** Waits until nothing is being rearranged, and tells whether the generation is another one than `from`. */
  movedOn(from: number): Promise<boolean>
  /** Something went wrong on the way to a broker: finds out now, and not at the next heartbeat, whether we still belong. */
  check(): void
  /** The group does not know us any more, or nobody knows what it knows. */
  giveUp(error: unknown): void
  /** Leaves, so that the others need not wait until our session is over. Never rejects. */
  leave(): Promise<void>
}

export interface GroupListener {
  readonly owned: () => readonly Place[]
  /** What is ours from now on. Tells whether something had to be let go, so that the group can give it to others. */
  assigned(places: readonly Place[], generation: number): Promise<boolean>
  lost(error: unknown): void
}

interface Joined {
  readonly generation: number
  readonly places: readonly Place[]
}

const tryAgainAfter = 50
/** How often the leader looks whether a topic has got more partitions. */
const lookEvery = 30_000

export async function joinGroup(
  cluster: Cluster,
  settings: Settings,
  reader: number,
  group: string,
  topics: readonly string[],
  listener: GroupListener,
): Promise<Membership> {
  const { clock, sessionTimeout, heartbeat } = settings
  const kafka = await cluster.kafka
  let memberId = ''
  let generation = -1
  let isLeader = false
  let partitionCounts = ''
  let lookedAt = clock.monotonic()
  let over = false
  let joining: Promise<void> | undefined
  let cancelBeat = (): void => {}
  let beating = false

  async function join(): Promise<void> {
    const deadline = clock.monotonic() + rebalanceWithin
    for (;;) {
      const joined = await joinOnce(deadline)
      if (over) return
      if (!joined) continue
      generation = joined.generation
      if (!(await listener.assigned(joined.places, generation))) return
    }
  }

  /** Nothing when it has to be tried again. */
  async function joinOnce(deadline: number): Promise<Joined | undefined> {
    const connection = await cluster.coordinator(group, `join of ${reader}`)
    const protocols = [{ name: protocolName, metadata: writeSubscription(kafka, topics, listener.owned(), generation) }]
    const request = [group, sessionTimeout, rebalanceWithin, memberId, null, protocolType, protocols] as const
    const { code, response } = await answerTo(kafka.joinGroupV7.api.async(connection, ...request))
    if (code === codes.memberIdRequired) {
      memberId = response.memberId
      return undefined
    }
    if (code !== codes.none) return again(code, deadline)
    memberId = response.memberId
    isLeader = response.leader === memberId
    const assignments = isLeader ? await assignmentsFor(response.members) : []
    const { generationId } = response
    const sync = [group, generationId, memberId, null, protocolType, protocolName, assignments] as const
    const synced = await answerTo(kafka.syncGroupV5.api.async(connection, ...sync))
    if (synced.code === codes.rebalanceInProgress) return undefined
    if (synced.code !== codes.none) return again(synced.code, deadline)
    return { generation: generationId, places: readAssignment(kafka, synced.response.assignment) }
  }

  async function again(code: number, deadline: number): Promise<undefined> {
    if (!isPassing(code) || clock.monotonic() > deadline) throw refusal(code, 'to let us join', group)
    cluster.forgetCoordinator(group)
    await new Promise<void>((resolve) => clock.after(tryAgainAfter, resolve))
  }

  async function assignmentsFor(members: readonly { readonly memberId: string; readonly metadata: Buffer }[]) {
    const subscribed = members.map((member) => readSubscription(kafka, member.memberId, member.metadata))
    const counts = await countPartitions(subscribed.flatMap((member) => member.topics))
    partitionCounts = JSON.stringify([...counts])
    const plan = assign(subscribed, (topic) => counts.get(topic) ?? 0)
    return [...plan].map(([id, places]) => ({ memberId: id, assignment: writeAssignment(kafka, places) }))
  }

  async function countPartitions(names: readonly string[]): Promise<Map<string, number>> {
    const found = await cluster.topics([...new Set(names)].sort())
    return new Map(found.map(({ name, leaders }) => [name, leaders.length]))
  }

  function rejoin(): Promise<void> {
    joining ??= join()
      .catch(giveUp)
      .finally(() => {
        joining = undefined
      })
    return joining
  }

  function giveUp(error: unknown): void {
    if (over) return
    listener.lost(error)
    void leave()
  }

  async function leave(): Promise<void> {
    over = true
    cancelBeat()
    try {
      const connection = await cluster.coordinator(group, 'group')
      if (memberId !== '') await answerTo(kafka.leaveGroupV4.api.async(connection, group, [{ memberId }]))
    } catch {
      // Then the group waits until our session is over.
    }
  }

  async function beat(): Promise<void> {
    if (over || beating) return
    beating = true
    cancelBeat()
    try {
      if (!joining) await askWhetherAlive()
      if (isLeader && !joining) await lookForPartitions()
    } catch (error) {
      giveUp(error)
    }
    beating = false
    if (!over) cancelBeat = clock.after(heartbeat, () => void beat(), { background: true })
  }

  /** A coordinator that went away is looked for once; when nobody can be asked, others may have our partitions before we know. */
  async function askWhetherAlive(): Promise<void> {
    const code = await heartbeatOnce().catch(() => {
      cluster.forgetCoordinator(group)
      return heartbeatOnce()
    })
    if (code === codes.none) return
    if (code === codes.rebalanceInProgress) void rejoin()
    else if (isPassing(code)) cluster.forgetCoordinator(group)
    else throw refusal(code, 'a heartbeat', group)
  }

  async function heartbeatOnce(): Promise<number> {
    const connection = await cluster.coordinator(group, 'group')
    return (await answerTo(kafka.heartbeatV4.api.async(connection, group, generation, memberId))).code
  }

  async function lookForPartitions(): Promise<void> {
    if (clock.monotonic() < lookedAt + lookEvery) return
    lookedAt = clock.monotonic()
    const counts = JSON.stringify([...(await countPartitions(JSON.parse(partitionCounts).map(([name]: [string]) => name)))])
    if (counts !== partitionCounts) void rejoin()
  }

  joining = join().finally(() => {
    joining = undefined
  })
  try {
    await joining
  } catch (error) {
    await leave()
    throw error
  }
  cancelBeat = clock.after(heartbeat, () => void beat(), { background: true })

  return {
    get memberId() {
      return memberId
    },
    get generation() {
      return generation
    },
    async movedOn(from) {
      while (joining) await joining
      return generation !== from
    },
    check: () => void beat(),
    giveUp,
    async leave() {
      if (!over) await leave()
    },
  }
}
