import type { Message as SqsMessage } from '@aws-sdk/client-sqs'
import type { Clock } from '../../core/ports.ts'
import { OwnHold } from '../handle.ts'
import type { Delivery } from '../seam.ts'
import { createHandles, type Held as HeldOf } from '../visibility/holdings.ts'
import type { OwnPast } from '../visibility/own-past.ts'
import type { Parcel as ParcelOf } from '../visibility/receiver.ts'
import { heldUntil } from '../visibility/settling.ts'
import { standingOf } from '../visibility/standing.ts'
import { toMessage } from './message.ts'
import type { Queue } from './queues.ts'

export type Held = HeldOf<Queue>
export type Parcel = ParcelOf<Queue, SqsMessage>

const handles = createHandles<Queue>()
export const heldOf: (delivery: Delivery) => Held = handles.heldOf

export type Provenance = Pick<Held, 'queue' | 'place' | 'address' | 'since' | 'until' | 'arrivedAt'>

/** `ahead`: groups of which something stands before this one; absent where there is no order. */
export function parcelOf(raw: SqsMessage, from: Provenance, ahead: ReadonlySet<string> | undefined, past: OwnPast): Parcel {
  const id = raw.MessageId ?? ''
  const count = Number(raw.Attributes?.ApproximateReceiveCount) || 1
  const lane = ahead && raw.Attributes?.MessageGroupId
  const { turns, suspect } = standingOf({ id, place: from.place, lane, count }, ahead, past)
  // Only where every outcome leaves the message where it is, the count tells of turns; elsewhere a copy does.
  const counted = ahead ? turns : 0
  return { held: { ...from, id, receipt: raw.ReceiptHandle ?? '', count, turns: counted, suspect, lane }, raw }
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
