import { delayFor } from '../core/backoff.ts'
import { hasCode } from '../core/errors.ts'
import type { Backoff } from '../core/policy.ts'
import { sanitiseError } from '../core/sanitise.ts'
import type { Delivery, Receiver } from '../transports/seam.ts'
import type { ChannelScope } from './scope.ts'
import { createWakeUp } from './wake-up.ts'

/** Takes deliveries from the broker whenever there is room for them, and receives anew when the receiver is lost. */
export interface Intake {
  /** Rejects when the channel cannot be received from at all. */
  start(): Promise<void>
  /** There may be room again. */
  proceed(): void
  stop(): Promise<void>
}

export interface IntakeListener {
  room(): number
  admit(delivery: Delivery): void
  /** The receiver is dead; what it gave may be lost too. */
  lost(): void
}

/** How long one take may wait for messages; it only bounds how long a dead broker can go unnoticed. */
const takeWait = 5000
/** So many handlers that begin one after the other keep the process busy for a while. */
const many = 50
/** A connection has no payload. */
const nothingToQuote = { body: null, headers: [] }
const reconnectBackoff: Backoff = { kind: 'exponential', first: 200, max: 15_000, factor: 2, jitter: 1 }

export function createIntake(scope: ChannelScope, listener: IntakeListener): Intake {
  const { settings, transport, platform, events } = scope
  const roomMade = createWakeUp()
  /**
   * How much is asked for at a time. A broker that is asked for each batch settles one half while the handlers work on the other; one
   * that pushes over a connection works ahead by itself, as far as it was asked.
   */
  const isPushed = transport.capabilities.hold === 'connection'
  const share = isPushed ? settings.prefetch : Math.ceil(settings.prefetch / 2)
  let receiver: Receiver | undefined
  let waitingForRoom = false
  let stopping = false
  let finished: Promise<void> | undefined
  let wakeFromBackoff: (() => void) | undefined

  return {
    async start() {
      receiver = await open()
      finished = loop()
    },
    proceed() {
      if (!waitingForRoom || listener.room() === 0) return
      waitingForRoom = false
      roomMade.call()
    },
    async stop() {
      stopping = true
      roomMade.call()
      wakeFromBackoff?.()
      await closeReceiver()
      await finished
      // One that was being opened just then was not there to be closed before.
      await closeReceiver()
    },
  }

  function open(): Promise<Receiver> {
    const group = settings.group === undefined ? {} : { group: settings.group }
    return transport.receive({ name: settings.name, ...group }, { prefetch: settings.prefetch, hold: settings.hold })
  }

  /** A receiver that fails to close is of no use to anybody either way. */
  async function closeReceiver(): Promise<void> {
    await receiver?.close().catch(() => {})
  }

  async function loop(): Promise<void> {
    for (let failures = 0; !stopping; ) {
      try {
        receiver ??= await open()
        if (failures > 0) events.emit('connection-restored', { channel: settings.name })
        failures = 0
        await takeUntilLost(receiver)
      } catch (error) {
        failures++
        listener.lost()
        await closeReceiver()
        receiver = undefined
        if (hasCode(error, 'closed')) return tellClosed()
        if (!stopping) await backOff(error, failures)
      }
    }
  }

  /** Somebody closed the transport under a running consumer: there is nothing to come back to. */
  function tellClosed(): void {
    if (stopping) return
    events.emit('connection-lost', {
      channel: settings.name,
      error: 'the transport is closed',
      retryInMs: Number.POSITIVE_INFINITY,
    })
  }

  /** One listener for as long as it is received from: one for each wait would cost more than the wait. */
  async function takeUntilLost(from: Receiver): Promise<void> {
    from.lost.addEventListener('abort', roomMade.call, { once: true })
    try {
      await takeFrom(from)
    } finally {
      from.lost.removeEventListener('abort', roomMade.call)
    }
  }

  /**
   * The next take is asked for before the deliveries of this one are begun, so that the broker fetches some and settles others while
   * the handlers work.
   */
  async function takeFrom(from: Receiver): Promise<void> {
    let asked: Promise<readonly Delivery[]> | undefined
    while (!stopping) {
      if (from.lost.aborted) throw from.lost.reason
      // Not only after waiting: of what came last, some may have been lost on its way and take no room.
      asked ??= ask(from, 0)
      if (asked) {
        const batch = await asked
        asked = askBeside(batch, from)
        if (asked && isWorthATurn(batch)) await nextTurn()
        for (const delivery of batch) listener.admit(delivery)
      } else {
        await waitForRoom()
      }
    }
    // What was under way is ours as well, and must be given back.
    for (const delivery of (await asked) ?? []) listener.admit(delivery)
  }

  /** Not beside a suspect: it must be alone in our hands. */
  function askBeside(batch: readonly Delivery[], from: Receiver): Promise<readonly Delivery[]> | undefined {
    return batch.some(({ suspect }) => suspect) ? undefined : ask(from, batch.length)
  }

  /**
   * The question has not left the process yet, and all that the handlers do until they first wait would come before it. Not in order: what
   * is given back in this turn would not find those behind it in their lane, and they would run before it.
   */
  function isWorthATurn(batch: readonly Delivery[]): boolean {
    return !isPushed && !scope.inOrder && batch.length >= many
  }

  function nextTurn(): Promise<void> {
    return new Promise((resolve) => platform.clock.soon(resolve))
  }

  function ask(from: Receiver, arriving: number): Promise<readonly Delivery[]> | undefined {
    const room = listener.room() - arriving
    if (stopping || room <= 0) return undefined
    const taking = from.take(Math.min(room, share), takeWait)
    // Whoever awaits it hears of a failure; nobody does when the receiver dies first.
    taking.catch(() => {})
    return taking
  }

  async function waitForRoom(): Promise<void> {
    waitingForRoom = true
    await roomMade.wait()
    // What finishes in the same moment makes room for one larger take, if there can be a larger one.
    if (listener.room() < share) await nextTurn()
    waitingForRoom = false
  }

  async function backOff(error: unknown, failures: number): Promise<void> {
    const retryInMs = delayFor(reconnectBackoff, failures, platform.random())
    events.emit('connection-lost', { channel: settings.name, error: sanitiseError(error, nothingToQuote), retryInMs })
    await new Promise<void>((resolve) => {
      const cancel = platform.clock.after(retryInMs, resolve)
      wakeFromBackoff = () => {
        cancel()
        resolve()
      }
    })
  }
}
