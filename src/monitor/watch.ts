import { evaluate, initialRuleState, type RuleLimits, type Sample, type Transition } from '../core/alerts/monitor/alert-rule.ts'
import { delayFor } from '../core/backoff.ts'
import type { Backoff } from '../core/policy.ts'
import type { Cancel, Clock } from '../core/ports.ts'

/** One dead-letter channel that is looked at again and again, never twice at a time. */
export interface Watch {
  start(): void
  /** Looks now, and tells once it has looked. A look that is under way was begun too early to count. */
  look(): Promise<void>
  /** A letter was buried here just now: looks at once, and again in short intervals until it is seen. */
  expectLetter(): void
  /** What the last look gave; nothing before the first one. */
  readonly last: Sample | undefined
  /** Resolves when no look is under way any more. */
  stop(): Promise<void>
}

export interface WatchOptions {
  readonly clock: Clock
  /** Milliseconds between two looks. */
  readonly every: number
  readonly limits: RuleLimits
  readonly probe: () => Promise<Sample>
  readonly changed: (transition: Transition, sample: Sample) => void
}

/** A failed probe is tried again sooner than the next one would be, because it is often a hiccup. */
const afterFailure: readonly number[] = [1000, 5000]
/** A broker that dead-letters by itself shows the letter some milliseconds after it took the rejection. */
const hurry: Backoff = { kind: 'exponential', first: 20, max: 500, factor: 2, jitter: 0 }
const expectFor = 5000

export function createWatch({ clock, every, limits, probe, changed }: WatchOptions): Watch {
  let state = initialRuleState
  let last: Sample | undefined
  let looking: Promise<void> | undefined
  let cancel: Cancel = () => {}
  let expectedUntil = 0
  let hurried = 0
  let running = false

  function look(): Promise<void> {
    cancel()
    looking = (looking ?? Promise.resolve()).then(lookOnce)
    const own = looking
    return own.then(() => {
      if (looking !== own) return
      looking = undefined
      if (running) cancel = clock.after(untilNext(), look)
    })
  }

  async function lookOnce(): Promise<void> {
    const sample = await probe()
    last = sample
    const { state: after, transitions } = evaluate(state, sample, limits)
    state = after
    for (const transition of transitions) changed(transition, sample)
  }

  function untilNext(): number {
    if (state.failures > 0) return Math.min(afterFailure[state.failures - 1] ?? every, every)
    return isExpecting() ? delayFor(hurry, ++hurried, 0) : every
  }

  function isExpecting(): boolean {
    return !state.lettersUp && clock.monotonic() < expectedUntil
  }

  return {
    start() {
      running = true
      void look()
    },
    look,
    expectLetter() {
      // While the alert is up, another letter is no news; a flood of them costs no look.
      if (!running || state.lettersUp) return
      const isNews = !isExpecting()
      expectedUntil = clock.monotonic() + expectFor
      if (!isNews) return
      hurried = 0
      if (looking === undefined) void look()
    },
    get last() {
      return last
    },
    async stop() {
      running = false
      cancel()
      await looking
    },
  }
}
