import { collapse } from '../core/alerts/collapse.ts'
import { isHopeless, longestWait, nextDelivery } from '../core/alerts/delivery-plan.ts'
import { delayFor } from '../core/backoff.ts'
import type { Backoff } from '../core/policy.ts'
import type { Clock, Random } from '../core/ports.ts'
import { attempt, sendBackoff } from '../outgoing/attempt.ts'
import type { SendOutcome } from '../outgoing/send-outcome.ts'
import type { Delivery } from '../vault/operations/deliveries.ts'
import type { Vault } from '../vault/vault.ts'
import type { Sink } from './sink.ts'

/**
 * Brings to one sink what waits for it in the outbox, one message at a time. A row stays there until the sink has taken it, so that whatever ends
 * this process, nothing is lost; what was sent just before may be sent again, under the same name. Lines know nothing of each other.
 */
export interface DeliveryLine {
  start(): void
  /** Something may be waiting. */
  wake(): void
  /** Resolves when nothing is under way. What waits stays where it is. */
  stop(): Promise<void>
}

export interface DeliveryLineOptions {
  readonly sink: Sink
  readonly vault: Pick<Vault, 'read' | 'write'>
  readonly clock: Clock
  readonly random: Random
  /** Whoever writes into the outbox wakes us; this is for what others wrote. Milliseconds. */
  readonly lookEvery?: number
  /** What went wrong, without secrets. */
  readonly onProblem: (sink: string, problem: string) => void
}

/** Receivers throttle who is faster. */
const betweenMessages = 1000
const timeout = 10_000
const mostAtOnce = 1000
/** Nobody is bothered by it, and a group waits for it. */
const noteBackoff: Backoff = { ...sendBackoff, max: 30_000 }

type Rows = readonly [Delivery, ...Delivery[]]

/** What became of a try, as the vault is to know it. */
interface Note {
  readonly write: () => Promise<unknown>
  failures: number
  /** Of the monotonic clock. */
  nextAt: number
}

export function createDeliveryLine(options: DeliveryLineOptions): DeliveryLine {
  const { sink, vault, clock, random, lookEvery = 1000, onProblem } = options
  let working: Promise<void> | undefined
  let stopping = false
  let isAwake = false
  let wake = (): void => {}
  let pausedUntil = Number.NEGATIVE_INFINITY
  /** By group. What the vault does not know yet would be said once more, as often as we look: until it does, nothing of that group is sent. */
  const unwritten = new Map<string, Note>()

  async function work(): Promise<void> {
    while (!stopping) {
      isAwake = false
      await rest(await turn().catch(vaultFailed))
    }
  }

  /** Tells how long there is nothing to do. */
  async function turn(): Promise<number> {
    for (const [groupKey, note] of unwritten) if (note.nextAt <= clock.monotonic()) await writeDown(groupKey, note)
    const paused = pausedUntil - clock.monotonic()
    if (paused > 0) return unwritten.size > 0 ? Math.min(paused, lookEvery) : paused
    const waiting = await vault.read('waitingDeliveries', { sink: sink.name, limit: mostAtOnce })
    const next = nextDelivery(
      waiting.filter(({ groupKey }) => !unwritten.has(groupKey)),
      clock.now(),
    )
    if (next.kind === 'rest') return Math.min(next.until - clock.now(), lookEvery)
    await deliver(next.rows)
    return 0
  }

  async function deliver(rows: Rows): Promise<void> {
    const begun = clock.monotonic()
    const notification = collapse(rows.map((row) => row.notification) as [Delivery['notification']])
    const outcome = await attempt((signal) => sink.send(notification, signal), timeout, clock)
    const after = outcome.kind === 'failed' ? (outcome.after ?? 0) : 0
    pausedUntil = Math.max(begun + betweenMessages, clock.monotonic() + after)
    const [{ groupKey }] = rows
    await writeDown(groupKey, { write: noteOf(rows, outcome), failures: 0, nextAt: clock.monotonic() })
  }

  async function writeDown(groupKey: string, note: Note): Promise<void> {
    unwritten.set(groupKey, note)
    try {
      await note.write()
      unwritten.delete(groupKey)
    } catch {
      note.failures++
      note.nextAt = clock.monotonic() + delayFor(noteBackoff, note.failures, random())
      vaultFailed()
    }
  }

  function noteOf(rows: Rows, outcome: SendOutcome): Note['write'] {
    const now = clock.now()
    const [first] = rows
    const { id } = rows.at(-1) ?? first
    const collapsed = rows.slice(0, -1).map((row) => row.id)
    if (outcome.kind === 'sent') return () => vault.write('deliverySent', { id, collapsed, now })
    const problem = outcome.why
    onProblem(sink.name, problem)
    if (!outcome.retry || isHopeless({ ...first, attempts: first.attempts + 1 }, now)) {
      return () => vault.write('deliveryGivenUp', { id, collapsed, now, problem })
    }
    const delay = Math.max(delayFor(sendBackoff, first.attempts + 1, random()), outcome.after ?? 0)
    const nextAt = now + Math.min(delay, longestWait)
    return () => vault.write('deliveryFailed', { id: first.id, now, nextAt, problem })
  }

  function vaultFailed(): number {
    onProblem(sink.name, 'The outbox cannot be read or written')
    return lookEvery
  }

  function rest(ms: number): Promise<void> {
    if (ms <= 0 || stopping || (isAwake && clock.monotonic() >= pausedUntil)) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve, { background: true })
      wake = () => {
        cancel()
        resolve()
      }
    })
  }

  return {
    start() {
      working ??= work()
    },
    wake() {
      isAwake = true
      wake()
    },
    async stop() {
      stopping = true
      wake()
      await working
    },
  }
}
