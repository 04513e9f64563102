import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import { RedriveError } from '../../core/errors.ts'
import type { Address } from '../seam.ts'
import { forgetDelivery } from './by-link.ts'
import type { DispositionPace } from './disposition-pace.ts'
import { record } from './message.ts'
import type { Patience } from './patience.ts'
import type { RheaTypes } from './rhea.ts'
import type { ServiceClock } from './service-clock.ts'

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
  /** An answer to its settlement is to come. */
  settling: boolean
  /** Its link has answered, or was given up for it, and cannot be asked again: what is left is to ask the service by request. */
  answered: boolean
  /** It is settled or lost. */
  gone: boolean
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
  loss?: RedriveError
  controller?: AbortController
  renew(): Promise<Date>
  /** It was lost, or has ended. */
  onLoss?: () => void
}

export interface Origin {
  /** Settles by the link while it lives, and by request once that is gone. */
  readonly desk: ServiceBusReceiver
  /** The receiver whose link it came by. */
  readonly receiver: ServiceBusReceiver
  readonly types: RheaTypes
  /** Whether the link by which it came is still the same. */
  alive(): boolean
  readonly inSession: boolean
  /** Of the link: what is decided about its messages is told one kind at a time. */
  readonly pace: DispositionPace
  /** By when what was decided must be answered. */
  readonly answers: Patience
  readonly service: ServiceClock
  /** It is about to come again: what stands behind it in its lane waits for it. `false`: it does not after all. */
  readonly returning?: (held: Held, comes: boolean) => void
  /** It is settled or lost. */
  left(held: Held): void
  /** A settlement was not answered: perhaps nothing is any more. */
  doubt(): void
}

export function newHeld({ received, address, lock, origin }: Pick<Held, 'received' | 'address' | 'lock' | 'origin'>): Held {
  const untouched = { buffered: true, settlement: undefined, settling: false, answered: false, gone: false }
  return { received, address, lock, origin, ...untouched }
}

export function leave(held: Held): void {
  held.gone = true
  leavePlace(held)
}

/** What is gone keeps no place on its link; what has an answer to come from it must, or nobody would hear of that. */
export function leavePlace({ received, settling, gone }: Held): void {
  if (gone && !settling) forgetDelivery(received)
}

/** It stays in our hands and keeps no place on its link: what is decided about it is told by request. */
export function givePlaceUp(held: Held): void {
  held.answered = true
  forgetDelivery(held.received)
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
    renew,
  }
}

/** It could not be given back, and nobody has it: renewed for nobody, it would be kept from all. A session's lock is that of others too. */
export function letExpire({ lock, origin }: Held): void {
  if (!origin.inSession) lock.keepUntil = 0
}

/** Before when it is not to be given out again; 0 for any time. */
export function notBefore({ received }: Held): number {
  const time = received.applicationProperties?.[record.notBefore]
  return typeof time === 'number' ? time : 0
}
