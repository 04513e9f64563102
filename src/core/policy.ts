/** What happens to a message that cannot be processed, all options resolved. Durations are milliseconds. */
export interface Policy {
  readonly retry: RetryPolicy
  /** How long one handler run may take; `Infinity` for no limit. */
  readonly timeout: number
  /** What a handler timeout is: seed 001 says a NonRetryableError, so `permanent` is the default. */
  readonly onTimeout: 'permanent' | 'retryable'
  /** What is compared with the limit before a run: our turns, or (seed 001 to the letter) the broker's delivery count. */
  readonly poison: 'turns' | 'deliveries'
}

export interface RetryPolicy {
  /** More runs in the same turn, in process (seed 000). */
  readonly immediate: number
  /** More turns, through the broker. */
  readonly delayed: { readonly retries: number; readonly backoff: Backoff }
}

export interface Backoff {
  readonly kind: 'fixed' | 'linear' | 'exponential'
  readonly first: number
  readonly max: number
  /** What an exponential backoff multiplies by. */
  readonly factor: number
  /** Lengthens a delay by up to this share of it; never shortens one. */
  readonly jitter: number
}

/**
 * What a channel gets when nothing is said. Two delayed retries are three turns: seed 001's MaxDeliveryCount of 3. The backoff
 * outlasts a restart of what the handler depends on, and its jitter keeps messages that failed together from returning together.
 */
export const defaultPolicy: Policy = {
  retry: {
    immediate: 0,
    delayed: { retries: 2, backoff: { kind: 'exponential', first: 1000, max: 300_000, factor: 2, jitter: 0.2 } },
  },
  timeout: 30_000,
  onTimeout: 'permanent',
  poison: 'turns',
}

/** Turns that a message gets before it is dead-lettered. */
export function maxTurns(policy: Policy): number {
  return 1 + policy.retry.delayed.retries
}

/** The longest that a retry may be delayed, jitter included; 0 without delayed retries. Milliseconds. */
export function longestDelay({ retry: { delayed } }: Policy): number {
  return delayed.retries === 0 ? 0 : delayed.backoff.max * (1 + delayed.backoff.jitter)
}

/** Handler runs in all, as the consumer prints at start. */
export function maxRuns(policy: Policy): number {
  return (1 + policy.retry.immediate) * maxTurns(policy)
}
