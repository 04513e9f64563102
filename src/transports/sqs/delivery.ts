import type { Message as SqsMessage } from '@aws-sdk/client-sqs'
import type { Clock } from '../../core/ports.ts'
import { OwnHold } from '../handle.ts'
import type { Delivery } from '../seam.ts'
import { createHandles, type Held as HeldOf } from '../visibility/holdings.ts'
import type { OwnPast } from '../visibility/own-past.ts'
import type { Parcel as ParcelOf } from '../visibility/receiver.ts'
import { heldUntil, pastName } from '../visibility/settling.ts'
import type { QueueKind } from './capabilities.ts'
import { toMessage } from './message.ts'
import type { Queue } from './queues.ts'

export type Held = HeldOf<Queue>
export type Parcel = ParcelOf<Queue, SqsMessage>

const handles = createHandles<Queue>()
export const heldOf: (delivery: Delivery) => Held = handles.heldOf

export type Provenance = Pick<Held, 'queue' | 'place' | 'address' | 'since' | 'until' | 'arrivedAt'>

export function parcelOf(raw: SqsMessage, from: Provenance, queues: QueueKind, past: OwnPast): Parcel {
  const id = raw.MessageId ?? ''
  const count = Number(raw.Attributes?.ApproximateReceiveCount) || 1
  const own = past.recall(pastName({ ...from, id }), count)
  // Only where every outcome leaves the message where it is, the count tells of turns; elsewhere a copy does.
  const turns = queues === 'fifo' ? (own?.turns ?? count - 1) : 0
  const lane = queues === 'fifo' ? raw.Attributes?.MessageGroupId : undefined
  const suspect = own ? own.suspect : count > 1
  return { held: { ...from, id, receipt: raw.ReceiptHandle ?? '', count, turns, suspect, lane }, raw }
}

export function openParcel({ held, raw }: Parcel, clock: Clock): Delivery {
  held.handedOut = true
  const message = toMessage(raw)
  const enqueuedAt = Number(raw.Attributes?.SentTimestamp) || undefined
  return handles.withHandle(
    {
      message,
      address: held.address,
      position: held.id,
      deliveries: held.count,
      turns: held.turns,
      suspect: held.suspect,
      heldUntil: heldUntil(held, clock),
      // Without a key of ours, a group only tells one message from the others.
      ...(held.lane !== undefined && message.key !== undefined && { lane: held.lane }),
      ...(enqueuedAt !== undefined && { enqueuedAt }),
      hold: new OwnHold(held),
    },
    held,
  )
}
