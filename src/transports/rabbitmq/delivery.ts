import type { ConsumeMessage } from 'amqplib'
import type { Message } from '../../core/message.ts'
import type { Address, Delivery, Hold } from '../seam.ts'
import type { Consumer } from './credit.ts'
import { toMessage } from './message.ts'
import type { QueueType } from './options.ts'
import type { Batch, Ledger } from './settle.ts'

/** A delivery together with what settles it; a class, because one is made for every message. */
export class RabbitDelivery implements Delivery {
  readonly message: Message
  readonly address: Address
  readonly deliveries: number
  readonly turns: number
  readonly suspect: boolean
  readonly heldUntil: number
  readonly hold: Hold
  readonly tag: number
  /** Which one it came by. */
  readonly consumer: Consumer
  readonly origin: Origin
  settlement: Batch | undefined = undefined

  constructor(raw: ConsumeMessage, heldUntil: number, consumer: Consumer, origin: Origin) {
    const before = deliveriesBefore(raw, origin.queueType)
    this.message = toMessage(raw)
    this.address = origin.address
    this.deliveries = before + 1
    // The first one to come back may have been a neighbour of what killed its consumer, or never have left a buffer.
    this.turns = Math.max(0, before - 1)
    this.suspect = raw.fields.redelivered
    this.heldUntil = heldUntil
    this.hold = origin.hold
    this.tag = raw.fields.deliveryTag
    this.consumer = consumer
    this.origin = origin
  }
}

/** The channel that a delivery came by. */
export interface Origin {
  readonly address: Address
  readonly queueType: QueueType
  readonly hold: Hold
  readonly ledger: Ledger
  /** Puts a copy at the end of the queue. */
  send(message: Message): Promise<unknown>
  /** A delivery is being replaced by a copy: the channel stays until that is done. */
  replacing(done: Promise<unknown>): void
  /** Called once for each delivery that was given out. */
  settled(): void
}

/**
 * Only a quorum queue keeps a number, and only for this very copy. A first delivery has no past here, whatever its headers say:
 * a number that came along was forged, or was written by another queue.
 */
function deliveriesBefore({ fields, properties }: ConsumeMessage, queueType: QueueType): number {
  if (queueType === 'classic' || !fields.redelivered) return 0
  const count: unknown = properties.headers?.['x-delivery-count']
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : 1
}
