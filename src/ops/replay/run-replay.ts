import { allowance, type Canary, type LedgerCounts } from '../../core/canary.ts'
import type { Clock, NewId } from '../../core/ports.ts'
import type { SendOutcome } from '../../vault/operations/outcomes.ts'
import type { Vault } from '../../vault/vault.ts'
import { createDrainWatch, type DrainWatch } from './drain-watch.ts'
import { steadyRate } from './rate.ts'
import { sendClaimed, type TransportNamed } from './send-claimed.ts'

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

/** Sends in flight at most: what a crash leaves unknown. */
export const mostInFlight = 100

/** How long to wait for news before the clock is asked whether time alone has decided something. */
const longestWait = 1000
const assumeEvery = 500
const longestAway = 30_000

/**
 * Runs a replay from wherever it stands. What an earlier run had claimed and not recorded when it died is unknown from now on; everything
 * else goes on. Claimed, sent and recorded in turn, each durable before the next begins.
 */
export function runReplay(replay: number, options: RunOptions): Run {
  const { vault, clock, newId, transportNamed } = options
  let halted = false
  let assumedAt = Number.NEGATIVE_INFINITY
  /** How often in a row nobody was there to take a letter. */
  let away = 0
  let news: (() => void) | undefined
  const ended = run()

  async function run(): Promise<void> {
    await vault.write('doubtClaims', { replay, now: clock.now() })
    const { plan } = await vault.read('showReplay', { replay })
    const rate = steadyRate(plan.rate, clock)
    const drain = createDrainWatch(transportNamed, clock, plan.observe)
    while (!halted) {
      await assume(plan.observe, drain)
      const step = await nextStep(plan.canary ?? undefined)
      if (step === 'over') return
      const { granted, wait } = step > 0 ? rate.take(Math.min(step, mostInFlight)) : { granted: 0, wait: longestWait }
      const rest = granted === 0 ? wait : await sendNext(granted)
      if (rest > 0) await newsWithin(rest)
    }
  }

  /** How many may be sent now, or that there is nothing left to do here. What is on its way is watched, whatever the replay was told since. */
  async function nextStep(canary: Canary | undefined): Promise<number | 'over'> {
    const now = clock.now()
    const [current, counts] = [await vault.read('showReplay', { replay }), await vault.read('countLedger', { replay })]
    options.onProgress?.(replay, counts)
    if (current.state !== 'running') return counts.claimed + counts.sent === 0 ? 'over' : 0
    const allowed = allowance(counts, canary, current.countsAtResume)
    if (allowed.kind === 'stop') return stopped(allowed.because, counts)
    if (allowed.kind !== 'done') return allowed.kind === 'send' ? allowed.more : 0
    await vault.write('finishReplay', { replay, now })
    // Once more, now that it has ended: whoever watches it looks again.
    options.onProgress?.(replay, counts)
    return 'over'
  }

  async function stopped(because: string, counts: LedgerCounts): Promise<0> {
    await vault.write('stopReplay', { replay, now: clock.now(), because })
    options.onProgress?.(replay, counts)
    return 0
  }

  /** Taken up for as long as a failure would need to come back, and it has not. Between two batches of sends there is no time for that. */
  async function assume(observe: number, drain: DrainWatch): Promise<void> {
    if (clock.monotonic() - assumedAt < assumeEvery) return
    assumedAt = clock.monotonic()
    for (const destination of await vault.read('awaitedDestinations', { replay })) {
      await drain.look(destination)
      const sentBefore = drain.emptyBy(destination, clock.now() - observe)
      if (sentBefore !== undefined) await vault.write('assumeSuccess', { replay, destination, sentBefore, now: clock.now() })
    }
  }

  /** Tells how long to rest before the next ones. */
  async function sendNext(most: number): Promise<number> {
    const names = Array.from({ length: most }, newId)
    const claimed = await vault.write('claimLetters', { replay, most, now: clock.now(), names })
    if (claimed.length === 0) return 0
    const outcomes = await sendClaimed(claimed, replay, transportNamed)
    await record(outcomes)
    const went = (outcome: SendOutcome['outcome']): number => outcomes.filter((each) => each.outcome === outcome).length
    if (went('unknown') > 0 && went('sent') === 0) {
      await stopped(`no send was confirmed, and ${went('unknown')} may have arrived`, await vault.read('countLedger', { replay }))
    }
    away = went('unsent') > 0 ? away + 1 : 0
    return away === 0 ? 0 : Math.min(longestAway, longestWait * 2 ** away)
  }

  /** What is known must not be lost because a disk was full: it is tried until it is written, or until this process ends. */
  async function record(outcomes: readonly SendOutcome[]): Promise<void> {
    for (;;) {
      try {
        await vault.write('recordSends', { replay, now: clock.now(), outcomes })
        return
      } catch (error) {
        if (halted) throw error
        await newsWithin(longestWait)
      }
    }
  }

  function newsWithin(ms: number): Promise<void> {
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

  return {
    ended,
    wake: () => news?.(),
    async halt() {
      halted = true
      news?.()
      await ended
    },
  }
}
