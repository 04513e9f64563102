import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import { RedriveError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import { OwnHold } from '../handle.ts'
import type { Address, Delivery, Hold } from '../seam.ts'
import type { Held } from './held.ts'
import { record, toMessage } from './message.ts'
import type { RheaTypes } from './rhea.ts'
import { sessionKey } from './session-id.ts'

const handle: unique symbol = Symbol('held')

/** A delivery together with what settles it; a class, because one is made for every message. */
class BusDelivery implements Delivery {
  readonly message: Message
  readonly address: Address
  readonly position: string
  readonly deliveries: number
  readonly turns: number
  readonly suspect: boolean
  readonly heldUntil: number
  readonly enqueuedAt: number
  readonly hold: Hold
  declare readonly lane?: string
  readonly [handle]: Held

  constructor(held: Held, types: RheaTypes) {
    const { received, lock, origin } = held
    const before = Number(received.deliveryCount ?? 0)
    const { turns, suspect } = pastOf(received, before)
    this.message = toMessage(types, received)
    this.address = held.address
    this.position = positionOf(received)
    this.deliveries = before + 1
    this.turns = turns
    this.suspect = suspect
    this.heldUntil = Math.max(lock.until, lock.keepUntil)
    this.enqueuedAt = received.enqueuedTimeUtc?.getTime() ?? 0
    this.hold = new OwnHold(lock, !origin.inSession)
    const lane = origin.inSession && received.sessionId !== undefined ? sessionKey(received.sessionId) : undefined
    if (lane !== undefined) this.lane = lane
    this[handle] = held
  }
}

export function deliveryOf(held: Held, types: RheaTypes): Delivery {
  return new BusDelivery(held, types)
}

export function heldOf(delivery: Delivery): Held {
  const held = (delivery as Partial<BusDelivery>)[handle]
  if (held === undefined) throw new RedriveError('hold-lost', 'This delivery did not come from Service Bus.')
  return held
}

/** Somebody had it, and nobody wrote on it what became of it. */
export function isSuspect(received: ServiceBusReceivedMessage): boolean {
  const before = Number(received.deliveryCount ?? 0)
  return before > 0 && pastOf(received, before).suspect
}

/** Written on a message that is given back. */
export type Note = Readonly<Record<typeof record.deliveries | typeof record.turns, number>>

/** It has had no turn, and if it was a suspect it still is one. */
export function noteOfRelease(received: ServiceBusReceivedMessage): Note {
  const before = Number(received.deliveryCount ?? 0)
  const { turns, suspect } = pastOf(received, before)
  return { [record.deliveries]: suspect ? before : before + 1, [record.turns]: turns }
}

/** It has had a turn, whose outcome is known. */
export function noteOfTurn(received: ServiceBusReceivedMessage): Note {
  const before = Number(received.deliveryCount ?? 0)
  return { [record.deliveries]: before + 1, [record.turns]: pastOf(received, before).turns + 1 }
}

/** Only the numbers of a partitioned entity are larger than a number can hold. */
function positionOf({ sequenceNumber }: ServiceBusReceivedMessage): string {
  const number = Number(sequenceNumber?.toNumber())
  return String(Number.isSafeInteger(number) ? number : sequenceNumber)
}

/**
 * What became of earlier deliveries is written on the message when it is abandoned on purpose. Of those since then nobody knows: in the
 * first it may have been a neighbour of what killed its consumer; in all others it was alone.
 */
function pastOf({ applicationProperties = {} }: ServiceBusReceivedMessage, before: number): { turns: number; suspect: boolean } {
  const recorded = countOf(applicationProperties[record.deliveries], before)
  const turns = countOf(applicationProperties[record.turns], recorded)
  return { turns: turns + Math.max(0, before - recorded - 1), suspect: before > recorded }
}

/** A number that came along from elsewhere, or from another copy, is no more than this one can have had. */
function countOf(value: unknown, most: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, most) : 0
}
