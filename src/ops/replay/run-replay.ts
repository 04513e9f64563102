import { allowance, type LedgerCounts } from '../../core/canary.ts'
import type { Clock, NewId } from '../../core/ports.ts'
import type { Vault } from '../../vault/vault.ts'
import { createDrainWatch } from './drain-watch.ts'
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

/**
 * Runs a replay from wherever it stands. What an earlier run had claimed and not recorded when it died is unknown from now on; everything
 * else goes on. Claimed, sent and recorded in turn, each durable before the next begins.
 */
export function runReplay(replay: number, options: RunOptions): Run {
  const { vault, clock, newId, transportNamed } = options
  const drain = createDrainWatch(transportNamed, clock)
  let halted = false
  let assumedAt = Number.NEGATIVE_INFINITY
  let news: (() => void) | undefined
  const ended = run()

  async function run(): Promise<void> {
    await vault.write('doubtClaims', { replay, now: clock.now() })
    const { plan } = await vault.read('showReplay', { replay })
    const rate = steadyRate(plan.rate, clock)
    while (!halted) {
      const step = await nextStep(plan.canary ?? undefined, plan.observe)
      if (step === 'over') return
      const { granted, wait } = step > 0 ? rate.take(Math.min(step, mostInFlight)) : { granted: 0, wait: longestWait }
      if (granted === 0) await newsWithin(wait)
      else if (!(await sendNext(granted))) return
    }
  }

  /** How many may be sent now, or that there is nothing left to do here. */
  async function nextStep(canary: Parameters<typeof allowance>[1], observe: number): Promise<number | 'over'> {
    await assume(observe)
    const now = clock.now()
    const [{ state }, counts] = [await vault.read('showReplay', { replay }), await vault.read('countLedger', { replay })]
    options.onProgress?.(replay, counts)
    if (state !== 'running') return 'over'
    const allowed = allowance(counts, canary)
    if (allowed.kind === 'stop') await vault.write('stopReplay', { replay, now, because: allowed.because })
    if (allowed.kind === 'done') await vault.write('finishReplay', { replay, now })
    if (allowed.kind === 'stop' || allowed.kind === 'done') {
      // Once more, now that it has ended: whoever watches it looks again.
      options.onProgress?.(replay, counts)
      return 'over'
    }
    return allowed.kind === 'send' ? allowed.more : 0
  }

  /** Taken up for as long as a failure would need to come back, and it has not. Between two batches of sends there is no time for that. */
  async function assume(observe: number): Promise<void> {
    if (clock.monotonic() - assumedAt < assumeEvery) return
    assumedAt = clock.monotonic()
    for (const destination of await vault.read('awaitedDestinations', { replay })) {
      await drain.look(destination)
      const sentBefore = drain.emptyBy(destination, clock.now() - observe)
      if (sentBefore !== undefined) await vault.write('assumeSuccess', { replay, destination, sentBefore, now: clock.now() })
    }
  }

  async function sendNext(most: number): Promise<boolean> {
    const names = Array.from({ length: most }, newId)
    const claimed = await vault.write('claimLetters', { replay, most, now: clock.now(), names })
    if (claimed.length === 0) return false
    const outcomes = await sendClaimed(claimed, replay, transportNamed)
    await vault.write('recordSends', { replay, now: clock.now(), outcomes })
    return true
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
