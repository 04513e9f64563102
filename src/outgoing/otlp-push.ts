import type { MetricFamily } from '../core/metrics/metric-family.ts'
import { otlpMetrics } from '../core/metrics/otlp.ts'
import type { Cancel, Clock } from '../core/ports.ts'
import { safeErrorType } from '../core/sanitise.ts'
import { errorTypeOf } from '../core/thrown.ts'
import { attempt } from './attempt.ts'
import { post } from './http-post.ts'
import type { OtlpTarget } from './otlp-target.ts'
import { notSent, type SendOutcome } from './send-outcome.ts'

/**
 * Tells a collector what was counted, again and again. Counts are cumulative, so that what does not arrive needs no second try and no queue: the next
 * time tells it too. One request is under way at a time, and whoever counts never waits for it.
 */
export interface OtlpPush {
  start(): void
  /** Tells it now, after what is under way. Never rejects. */
  push(): Promise<SendOutcome>
  readonly health: OtlpHealth
  /** Gives up what is under way. */
  stop(): Promise<void>
}

export interface OtlpHealth {
  /** The host; never the path, which may be a secret. */
  readonly target: string
  /** Epoch milliseconds; `null` for never. */
  readonly lastSentAt: number | null
  /** Since when nothing arrives; `null` while all is well. */
  readonly failingSince: number | null
  /** Why; nothing of what the collector answered. */
  readonly problem: string | null
}

export interface OtlpPushOptions {
  readonly target: OtlpTarget
  readonly collect: () => readonly MetricFamily[] | Promise<readonly MetricFamily[]>
  readonly clock: Clock
  /** Since when it is counted, where that is no older than this process. */
  readonly since?: number
  /** Told when it begins to fail and when it works again, and not every time. */
  readonly onChange: (health: OtlpHealth) => void
}

export function createOtlpPush({ target, collect, clock, since, onChange }: OtlpPushOptions): OtlpPush {
  const { url, headers, every, timeout, resource, mayConnect } = target
  const stopping = new AbortController()
  const stopped = Promise.withResolvers<SendOutcome>()
  let health: OtlpHealth = { target: url.host, lastSentAt: null, failingSince: null, problem: null }
  let last: Promise<unknown> = Promise.resolve()
  let cancel: Cancel = () => {}

  async function tell(): Promise<SendOutcome> {
    const outcome = await Promise.race([attempt(send, timeout, clock), stopped.promise])
    // What is given up because we stop says nothing about the collector.
    if (!stopping.signal.aborted) note(outcome)
    return outcome
  }

  async function send(tooLong: AbortSignal): Promise<SendOutcome> {
    const families = await Promise.resolve().then(collect).catch(uncounted)
    if ('kind' in families) return families
    const body = JSON.stringify(otlpMetrics(families, { resource, at: clock.now(), ...(since !== undefined && { since }) }))
    const request = { url, headers: { ...headers, 'content-type': 'application/json' }, body }
    return post(request, AbortSignal.any([tooLong, stopping.signal]), mayConnect)
  }

  function note(outcome: SendOutcome): void {
    const { target: host, failingSince } = health
    const now = clock.now()
    const isSent = outcome.kind === 'sent'
    health = isSent
      ? { target: host, lastSentAt: now, failingSince: null, problem: null }
      : { ...health, failingSince: failingSince ?? now, problem: outcome.why }
    if (isSent !== (failingSince === null)) onChange(health)
  }

  /** Each waits for the one before, however that ended. */
  function push(): Promise<SendOutcome> {
    const mine = last.then(tell)
    last = mine
    return mine
  }

  async function again(): Promise<void> {
    const outcome = await push()
    const wait = outcome.kind === 'failed' ? Math.max(every, outcome.after ?? 0) : every
    if (!stopping.signal.aborted) cancel = clock.after(wait, () => void again(), { background: true })
  }

  return {
    start: () => void again(),
    push,
    get health() {
      return health
    },
    async stop() {
      stopping.abort()
      stopped.resolve(notSent('It was stopped', false))
      cancel()
      await last
    },
  }
}

function uncounted(error: unknown): SendOutcome {
  return notSent(`What is to be told could not be counted (${safeErrorType(errorTypeOf(error))})`, true)
}
