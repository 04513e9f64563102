import type { Alert } from '../core/alerts/monitor/alert.ts'
import { delayFor } from '../core/backoff.ts'
import type { Clock, Random } from '../core/ports.ts'
import { attempt, sendBackoff } from '../outgoing/attempt.ts'
import type { Log } from './log.ts'
import type { Notifier } from './notifier.ts'

/**
 * Brings alerts to one notifier, one after the other, so that a resolved alert never overtakes the one that was raised. What fails is
 * tried again with backoff. Couriers know nothing of each other: one that fails makes no other wait.
 */
export interface Courier {
  deliver(alert: Alert): void
  /** Gives each alert that waits one more chance, until one fails. Resolves when nothing is under way. */
  stop(): Promise<void>
}

export interface CourierOptions {
  readonly notifier: Notifier
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** How long one try may take. Milliseconds. */
  readonly timeout: number
}

/** By then somebody has looked at the log, or nobody will. */
const giveUpAfter = 24 * 3_600_000
/** A receiver that is away for long is not told everything that happened meanwhile. */
const mostWaiting = 100

export function createCourier({ notifier, clock, random, log, timeout }: CourierOptions): Courier {
  const waiting: Alert[] = []
  let working: Promise<void> | undefined
  let stopping = false
  let wake = (): void => {}
  const tell: Log = (level, fields, message) => log(level, { notifier: notifier.name, ...fields }, message)

  async function work(): Promise<void> {
    for (let alert = waiting.shift(); alert; alert = waiting.shift()) {
      const isSent = await deliverOne(alert)
      if (stopping && !isSent) for (const each of waiting.splice(0)) giveUp(each, 'The monitor stopped')
    }
    working = undefined
  }

  /** Tries until it is sent or not worth another try; tells which. */
  async function deliverOne(alert: Alert): Promise<boolean> {
    const deadline = clock.monotonic() + giveUpAfter
    for (let failures = 1; ; failures++) {
      const outcome = await attempt((signal) => notifier.send(alert, signal), timeout, clock)
      if (outcome.kind === 'sent') {
        tell('info', { alert }, 'Alert sent')
        return true
      }
      const delay = Math.max(delayFor(sendBackoff, failures, random()), outcome.after ?? 0)
      if (!outcome.retry || stopping || clock.monotonic() + delay > deadline) return giveUp(alert, outcome.why)
      tell('error', { alert, why: outcome.why, retryInMs: delay }, 'Failed to send an alert; it is tried again')
      await wait(delay)
    }
  }

  function giveUp(alert: Alert, why: string): false {
    tell('error', { alert, why }, 'Failed to send an alert; it is given up')
    return false
  }

  function wait(ms: number): Promise<void> {
    if (stopping) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve)
      wake = () => {
        cancel()
        resolve()
      }
    })
  }

  return {
    deliver(alert) {
      waiting.push(alert)
      if (waiting.length > mostWaiting) giveUp(waiting.shift() as Alert, 'Too many alerts wait for this notifier')
      working ??= work()
    },
    async stop() {
      stopping = true
      wake()
      await working
    },
  }
}
