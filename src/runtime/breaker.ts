/**
 * Tells an outage from messages that are bad. Goes
 *
 *   closed → open ⇄ probing → closed
 *
 * Closed, it looks at the last `runs` outcomes of different messages. When at least `share` of them are failures that another try
 * may mend, all within `window`, it is not the messages: it opens. Then one message at a time is let through, each after a longer
 * pause, until one succeeds.
 *
 * What fails while it is open is pardoned, it costs no attempt: but not for longer than `pardon`, because a channel that holds
 * nothing but bad messages looks just the same, and these must be dead-lettered some day.
 *
 * It knows no clock: `now` is in milliseconds that never go back.
 */
export interface Breaker {
  readonly state: 'closed' | 'open' | 'probing'
  /** Whether a success would change anything; the hot path skips it otherwise. */
  readonly isAlert: boolean
  /** A message succeeded, or failed for the first time, while closed. Tells whether the breaker opened by it. */
  record(failed: boolean, now: number): boolean
  /** How long until the next probe, counted from now; it may be given the next message then. */
  readonly probeIn: number
  probing(): void
  /** `undecided`: the probe failed for a reason of its own, or was lost. */
  probed(outcome: 'failed' | 'undecided'): void
  close(): void
  /** Whether a failure now costs no attempt. */
  pardons(now: number): boolean
  /** Since when it is open; meaningless while it is closed. */
  readonly openedAt: number
}

export interface BreakerSettings {
  readonly runs: number
  readonly share: number
  readonly window: number
  readonly probeAfter: number
  readonly probeAtMost: number
  readonly pardon: number
}

export const defaultBreaker: BreakerSettings = {
  runs: 20,
  share: 0.8,
  window: 30_000,
  probeAfter: 1000,
  probeAtMost: 30_000,
  pardon: 600_000,
}

export function createBreaker(settings: BreakerSettings): Breaker {
  const { runs, share, window, probeAfter, probeAtMost, pardon } = settings
  /** The last outcomes, oldest first; none while no failure is among them, so that a healthy channel costs nothing. */
  let outcomes: { readonly failed: boolean; readonly at: number }[] = []
  let failures = 0
  let state: Breaker['state'] = 'closed'
  let openedAt = 0
  let probeIn = probeAfter

  function forgetOldest(): void {
    if (outcomes.shift()?.failed) failures--
  }

  function forgetBefore(time: number): void {
    while (outcomes.length > 0 && (outcomes[0]?.at ?? 0) < time) forgetOldest()
    while (outcomes.length > 0 && failures === 0) forgetOldest()
  }

  return {
    get state() {
      return state
    },
    get isAlert() {
      return failures > 0 || state !== 'closed'
    },
    get probeIn() {
      return probeIn
    },
    get openedAt() {
      return openedAt
    },
    record(failed, now) {
      outcomes.push({ failed, at: now })
      if (failed) failures++
      if (outcomes.length > runs) forgetOldest()
      forgetBefore(now - window)
      if (outcomes.length < runs || failures < share * runs) return false
      state = 'open'
      openedAt = now
      probeIn = probeAfter
      return true
    },
    probing() {
      state = 'probing'
    },
    probed(outcome) {
      state = 'open'
      probeIn = outcome === 'failed' ? Math.min(probeAtMost, probeIn * 2) : probeIn
    },
    close() {
      state = 'closed'
      outcomes = []
      failures = 0
    },
    pardons: (now) => state !== 'closed' && now - openedAt < pardon,
  }
}
