import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import { RedriveError } from '../../core/errors.ts'
import type { Address, Delivery } from '../seam.ts'
import type { DispositionPace } from './disposition-pace.ts'
import { record, toMessage } from './message.ts'
import type { RheaTypes } from './rhea.ts'
import { sessionKey } from './session-id.ts'

/** A message in our hands, from its arrival until it is settled or lost. */
export interface Held {
  readonly received: ServiceBusReceivedMessage
  readonly address: Address
  readonly lock: Lock
  /** The link that it came by. */
  readonly origin: Origin
  /** Nobody has it yet: it waits in a buffer. */
  buffered: boolean
  settlement: Promise<void> | undefined
  /** Its link has answered, and cannot be asked again: what is left is to ask the service by request. */
  answered: boolean
}

/** What keeps a message ours: its own lock, or that of its session, which all messages of the session share. */
export interface Lock {
  /** When it ends, on our clock, unless it is renewed. */
  until: number
  /** For how long one renewal lasts. */
  readonly term: number
  /** Until when it is to be renewed. */
  keepUntil: number
  renewing: boolean
  loss: RedriveError | undefined
  controller: AbortController | undefined
  renew(): Promise<Date>
  /** It was lost, or has ended. */
  onLoss?: () => void
}

export interface Origin {
  /** Settles by the link while it lives, and by request once that is gone. */
  readonly desk: ServiceBusReceiver
  /** Whether the link by which it came is still the same. */
  alive(): boolean
  readonly inSession: boolean
  /** Of the link: what is decided about its messages is told one kind at a time. */
  readonly pace: DispositionPace
  /** It is about to come again: what stands behind it in its lane waits for it. `false`: it does not after all. */
  readonly returning?: (held: Held, comes: boolean) => void
  /** It is settled or lost. */
  left(held: Held): void
  /** A settlement was not answered: perhaps nothing is any more. */
  doubt(): void
}

const handle: unique symbol = Symbol('held')

interface OwnDelivery extends Delivery {
  readonly [handle]: Held
}

export function heldOf(delivery: Delivery): Held {
  const held = (delivery as Partial<OwnDelivery>)[handle]
  if (held === undefined) throw new RedriveError('hold-lost', 'This delivery did not come from Service Bus.')
  return held
}

export function loseLock(lock: Lock, why: string, cause?: unknown): void {
  if (lock.loss) return
  lock.loss = new RedriveError('hold-lost', why, { cause })
  lock.controller?.abort(lock.loss)
  lock.onLoss?.()
}

export function newLock(until: number, now: number, renew: Lock['renew'], keepUntil: number): Lock {
  return {
    until,
    // A clock that is ahead of the service's would leave nothing of the term.
    term: Math.max(until - now, 1000),
    keepUntil,
    renewing: false,
    loss: undefined,
    controller: undefined,
    renew,
  }
}

export function deliveryOf(held: Held, types: RheaTypes): Delivery {
  const { received, address, lock, origin } = held
  const before = Number(received.deliveryCount ?? 0)
  const delivery = {
    [handle]: held,
    message: toMessage(types, received),
    address,
    position: String(received.sequenceNumber),
    deliveries: before + 1,
    ...pastOf(received, before),
    heldUntil: Math.max(lock.until, lock.keepUntil),
    enqueuedAt: received.enqueuedTimeUtc?.getTime() ?? 0,
    hold: {
      single: !origin.inSession,
      get signal() {
        lock.controller ??= new AbortController()
        if (lock.loss && !lock.controller.signal.aborted) lock.controller.abort(lock.loss)
        return lock.controller.signal
      },
    },
  }
  const lane = origin.inSession && received.sessionId !== undefined ? sessionKey(received.sessionId) : undefined
  return lane === undefined ? delivery : { ...delivery, lane }
}

/**
 * What became of earlier deliveries is written on the message when it is abandoned on purpose. Of those since then nobody knows: the
 * first may have been a neighbour of what killed its consumer, or never have left a buffer.
 */
function pastOf({ applicationProperties = {} }: ServiceBusReceivedMessage, before: number): { turns: number; suspect: boolean } {
  const recorded = countOf(applicationProperties[record.deliveries], before)
  const turns = countOf(applicationProperties[record.turns], recorded)
  return { turns: turns + Math.max(0, before - recorded - 1), suspect: before > recorded }
}

/** Before when it is not to be given out again; 0 for any time. */
export function notBefore({ received }: Held): number {
  const time = received.applicationProperties?.[record.notBefore]
  return typeof time === 'number' ? time : 0
}

/** A number that came along from elsewhere, or from another copy, is no more than this one can have had. */
function countOf(value: unknown, most: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, most) : 0
}
