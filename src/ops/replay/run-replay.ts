import type { LedgerCounts } from '../../core/canary.ts'
import { hasCode } from '../../core/errors.ts'
import type { Clock, NewId } from '../../core/ports.ts'
import type { Advance } from '../../vault/operations/advance-replay.ts'
import type { SendOutcome } from '../../vault/operations/outcomes.ts'
import type { Destination } from '../../vault/replay-rows.ts'
import type { Vault } from '../../vault/vault.ts'
import { createAssumptions } from './assumptions.ts'
import { createFlight } from './flight.ts'
import { finishSteps } from './in-steps.ts'
import { steadyRate } from './rate.ts'
import type { TransportNamed } from './send-letter.ts'
import { createTrouble } from './trouble.ts'

export interface RunOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly newId: NewId
  readonly transportNamed: TransportNamed
  readonly onProgress?: (replay: number, counts: LedgerCounts) => void
}

/** A replay that is under way in this process. */
export interface Run {
  /** Resolves when nothing is in flight: it is over, was told to pause or stop, or `halt` was called. */
  readonly ended: Promise<void>
  /** Looks again at once: letters came back, a consumer reported, a person resumed it. */
  wake(): void
  /** Sends no more and settles what is in flight; the replay stays as it is, for the next control plane. */
  halt(): Promise<void>
}

/** Letters that are claimed at a time at most: what a crash leaves unknown. */
export const mostInFlight = 100

/** How long to wait for news before the clock is asked whether time alone has decided something. */
const longestWait = 1000
const progressEvery = 100

/**
 * Runs a replay from wherever it stands. What an earlier run had claimed and not recorded when it died is unknown from now on; everything
 * else goes on.
 *
 * It goes in turns, and each turn is one transaction: what has landed since the last one is written down, and as many are claimed as there is
 * room for. A claim is durable before its letter is sent. Letters stay on their way while turns are taken, so that neither the broker waits for
 * the disk nor the disk for the broker.
 */
export function runReplay(replay: number, options: RunOptions): Run {
  const { vault, clock, newId, transportNamed } = options
  const flight = createFlight(replay, transportNamed, () => isWorthATurn() && news?.())
  const trouble = createTrouble()
  let halted = false
  let toldAt = Number.NEGATIVE_INFINITY
  let news: (() => void) | undefined
  let isNewsMissed = false
  /** What a turn was to write down that may have failed. */
  let unwritten: readonly SendOutcome[] = []
  const ended = run()

  async function run(): Promise<void> {
    await finishSteps({ vault, clock }, replay)
    await vault.write('doubtClaims', { replay, now: clock.now() })
    const { plan } = await vault.read('showReplay', { replay })
    const rate = steadyRate(plan.rate, clock)
    const assumptions = createAssumptions({ replay, observe: plan.observe, vault, clock, transportNamed })
    try {
      for (let more = await takeTurn(0); more !== 'over' && !halted; ) {
        const wait = isWorthATurn() ? 0 : isRoomy(more) ? rate.wait() : longestWait
        if (wait > 0) await newsWithin(wait)
        await assumptions.look()
        if (!halted) more = await takeTurn(rate.take(roomFor(more)), assumptions.expect)
      }
    } finally {
      await landAll()
    }
  }

  /** Whatever failed, what is known must not be lost with it: the next run doubts everything that is claimed and not written down. */
  async function landAll(): Promise<void> {
    await flight.allLanded()
    const outcomes = [...unwritten, ...flight.take()]
    if (outcomes.length > 0) await record(outcomes)
  }

  function roomFor(more: number): number {
    return trouble.holdsBack ? 0 : Math.min(more, mostInFlight - flight.aloft)
  }

  /** A write to the disk costs the same for one letter as for many: a quarter of what is on its way is worth one. */
  function isWorthATurn(): boolean {
    return flight.landed > 0 && flight.landed * 4 >= flight.landed + flight.aloft
  }

  function isRoomy(more: number): boolean {
    return roomFor(more) > 0 && roomFor(more) >= Math.min(more, mostInFlight / 4)
  }

  /** Tells how many more may be sent, or that there is nothing left to do here. */
  async function takeTurn(most: number, expect?: (destination: Destination) => void): Promise<number | 'over'> {
    const outcomes = flight.take()
    unwritten = outcomes
    const turn = await vault.write('advanceReplay', { replay, now: clock.now(), outcomes, most, name: newId() })
    unwritten = []
    trouble.heard(outcomes)
    for (const destination of new Set(turn.claimed.map((letter) => letter.destination))) expect?.(destination)
    flight.launch(turn.claimed)
    tell(turn)
    return flight.aloft + flight.landed > 0 || (await isWell(turn)) ? judge(turn) : 0
  }

  /** Asked when nothing is on its way. What is on its way is watched, whatever the replay was told since. */
  async function isWell({ state, counts }: Advance): Promise<boolean> {
    flight.forget()
    const remedy = trouble.remedy()
    if (remedy.kind === 'rest') await newsWithin(remedy.ms)
    if (remedy.kind !== 'stop' || state !== 'running') return true
    await stop(remedy.because, counts)
    return false
  }

  async function judge({ state, allowed, claimed, counts }: Advance): Promise<number | 'over'> {
    if (state !== 'running') return counts.claimed + counts.sent === 0 ? 'over' : 0
    if (allowed.kind === 'stop') await stop(allowed.because, counts)
    if (allowed.kind === 'send') return allowed.more - claimed.length
    if (allowed.kind !== 'done') return 0
    if (!(await isFirst(() => vault.write('finishReplay', { replay, now: clock.now() })))) return 0
    // Once more, now that it has ended: whoever watches it looks again.
    options.onProgress?.(replay, counts)
    return 'over'
  }

  async function stop(because: string, counts: LedgerCounts): Promise<void> {
    if (await isFirst(() => vault.write('stopReplay', { replay, now: clock.now(), because })))
      options.onProgress?.(replay, counts)
  }

  /** Where a person has decided otherwise a moment ago, that is seen at the next turn. */
  async function isFirst(decide: () => Promise<unknown>): Promise<boolean> {
    try {
      await decide()
      return true
    } catch (error) {
      if (hasCode(error, 'conflict')) return false
      throw error
    }
  }

  function tell({ state, counts }: Advance): void {
    const isBusy = state === 'running' && flight.aloft > 0
    if (isBusy && clock.monotonic() - toldAt < progressEvery) return
    toldAt = clock.monotonic()
    options.onProgress?.(replay, counts)
  }

  /** It is tried until it is written, or until this process ends: the disk may be full. */
  async function record(outcomes: readonly SendOutcome[]): Promise<void> {
    for (;;) {
      try {
        await vault.write('advanceReplay', { replay, now: clock.now(), outcomes, most: 0, name: '' })
        return
      } catch (error) {
        if (halted) throw error
        await newsWithin(longestWait)
      }
    }
  }

  /** News that came while nobody waited for any are not waited for: they would not come again. */
  function newsWithin(ms: number): Promise<void> {
    if (halted || isNewsMissed) {
      isNewsMissed = false
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const cancel = clock.after(ms, done, { background: true })
      news = done
      function done(): void {
        cancel()
        news = undefined
        resolve()
      }
    })
  }

  function wake(): void {
    if (news) news()
    else isNewsMissed = true
  }

  return {
    ended,
    wake,
    async halt() {
      halted = true
      news?.()
      await ended
    },
  }
}
