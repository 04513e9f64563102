import type { Clock, NewId } from '../../core/ports.ts'
import { createSleep } from '../../platform/sleep.ts'
import { fairMove } from './fair-shares.ts'
import type { Lease } from './lease.ts'
import type { LeaseTiming } from './lease-timing.ts'
import type { Renewals } from './renewal.ts'
import { type ServedTurn, serveTurn, type Turn } from './serve-turn.ts'
import type { Seen, SharedLeases } from './shared-leases.ts'

export interface TakingShares {
  /** What there is to be had, as far as this one knows. */
  readonly shares: readonly string[]
  readonly me: string
  readonly leases: SharedLeases
  readonly leaseOf: (share: string) => Lease
  readonly renewals: Renewals
  readonly clock: Clock
  readonly timing: LeaseTiming
  readonly newToken: NewId
  readonly work: (share: string, turn: Turn) => Promise<() => Promise<void>>
  /** Somebody else may have one now. */
  readonly onFree: () => void
  readonly onProblem: (error: unknown) => void
}

export interface Shares {
  /** Resolves when it has looked for the first time. */
  readonly settled: Promise<void>
  /** Something was given back, or somebody came: it is worth a look. */
  look(): void
  /** Gives all of them back. */
  stop(): Promise<void>
}

/**
 * Takes its share of what nobody has, and gives back what is more than that. Work on one has ended before it is given back. What nobody else takes, because
 * nobody else knows it, is taken by who does, however much it has.
 */
export function takeShares(options: TakingShares): Shares {
  const { shares, me, leases, leaseOf, renewals, clock, timing, newToken, work, onFree, onProblem } = options
  const sleep = createSleep(clock)
  const own = new Map<string, ServedTurn>()
  /** Of our own, those that nobody else wanted. */
  const unwanted = new Set<string>()
  /** Since when we see that nobody has it, of the monotonic clock. */
  let freeSince: ReadonlyMap<string, number> = new Map()
  let company = ''
  let isStopped = false
  const settled = Promise.withResolvers<void>()
  const running = run()

  async function run(): Promise<void> {
    while (!isStopped) {
      // A server that does not answer has given them to nobody.
      await look().catch(() => {})
      settled.resolve()
      if (!isStopped) await sleep.during(timing.lookEvery)
    }
  }

  async function look(): Promise<void> {
    const seen = await leases.look()
    if (!seen.membersWork) return giveBack([...own.keys()])
    reconsider(seen)
    const counted = kept().filter((share) => !unwanted.has(share))
    const move = fairMove({ shares: shares.length, members: countsIn(seen, counted.length), me })
    giveBack(counted.slice(counted.length - move.giveBack))
    await takeFrom(freeIn(seen), move.take)
  }

  function kept(): readonly string[] {
    return [...own].filter(([, { isEnding }]) => !isEnding).map(([share]) => share)
  }

  /** Whoever has just come may want what nobody wanted. */
  function reconsider({ members }: Seen): void {
    const now = members.toSorted().join()
    if (now !== company) unwanted.clear()
    company = now
  }

  function countsIn({ members, held }: Seen, mine: number): ReadonlyMap<string, number> {
    const holders = [...held.values()]
    const counts = members.map((member) => [member, holders.filter((each) => each.member === member).length] as const)
    return new Map([...counts, [me, mine]])
  }

  function freeIn({ held }: Seen): readonly string[] {
    const free = shares.filter((share) => !held.has(share) && !own.has(share))
    freeSince = new Map(free.map((share) => [share, freeSince.get(share) ?? clock.monotonic()]))
    return free
  }

  function giveBack(some: readonly string[]): void {
    for (const share of some) own.get(share)?.end()
  }

  async function takeFrom(free: readonly string[], most: number): Promise<void> {
    let taken = 0
    for (const share of free) {
      const isUnwanted = clock.monotonic() - (freeSince.get(share) ?? Number.POSITIVE_INFINITY) >= timing.lasts
      if (isStopped || (taken >= most && !isUnwanted)) continue
      if (!(await take(share))) continue
      if (isUnwanted) unwanted.add(share)
      else taken++
    }
  }

  async function take(share: string): Promise<boolean> {
    const lease = leaseOf(share)
    const token = `${me}/${newToken()}`
    const takenAt = clock.monotonic()
    if (!(await lease.take(token))) return false
    const turn = serveTurn({
      ...{ lease, renewals, token, takenAt, onProblem, onBegun: () => {} },
      work: (given) => work(share, given),
    })
    own.set(share, turn)
    if (isStopped) turn.end()
    void turn.over.then(() => {
      own.delete(share)
      unwanted.delete(share)
      onFree()
    })
    return true
  }

  return {
    settled: settled.promise,
    look: sleep.rouse,
    async stop() {
      isStopped = true
      sleep.rouse()
      await running
      giveBack([...own.keys()])
      await Promise.all([...own.values()].map(({ over }) => over))
      await leases.depart().catch(() => {})
    },
  }
}
