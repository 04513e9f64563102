import type { Message as WireMessage } from 'rocketmq-client-nodejs/proto/apache/rocketmq/v2/definition_pb.js'
import type { Clock } from '../../core/ports.ts'
import { present } from '../../core/present.ts'
import { OwnHold } from '../handle.ts'
import type { Delivery } from '../seam.ts'
import { createHandles, type Held as HeldOf } from '../visibility/holdings.ts'
import type { OwnPast } from '../visibility/own-past.ts'
import type { Parcel as ParcelOf } from '../visibility/receiver.ts'
import { heldUntil } from '../visibility/settling.ts'
import { standingOf } from '../visibility/standing.ts'
import { type Incoming, toMessage } from './message.ts'
import type { Subscription } from './session.ts'

export type Held = HeldOf<Subscription>
export type Parcel = ParcelOf<Subscription, WireMessage>

const handles = createHandles<Subscription>()
export const heldOf: (delivery: Delivery) => Held = handles.heldOf

export type Provenance = Pick<Held, 'queue' | 'place' | 'address' | 'since' | 'until' | 'arrivedAt'>

/**
 * The broker keeps the order of a queue, with all message groups that stand in it, so the queue is the lane. `ahead`: lanes of which something
 * stands before this one; absent where there is no order.
 */
export function parcelOf(raw: WireMessage, from: Provenance, ahead: ReadonlySet<string> | undefined, past: OwnPast): Parcel {
  const about = raw.getSystemProperties()
  const id = about?.getMessageId() ?? ''
  const count = about?.getDeliveryAttempt() || 1
  const lane = ahead && `${about?.getStoreHost()}/${about?.getQueueId()}`
  const standing = standingOf({ id, place: from.place, lane, count }, ahead, past)
  return { held: { ...from, ...standing, id, receipt: about?.getReceiptHandle() ?? '', count, lane }, raw }
}

export function openParcel({ held, raw }: Parcel, clock: Clock): Delivery {
  held.handedOut = true
  const about = raw.getSystemProperties()
  // What is delivered again was stored again; its birth is what is left of its beginning.
  const since = held.count > 1 ? about?.getBornTimestamp() : about?.getStoreTimestamp()
  return handles.withHandle(
    {
      message: toMessage(incomingOf(raw)),
      address: held.address,
      position: held.id,
      deliveries: held.count,
      turns: held.turns,
      suspect: held.suspect,
      heldUntil: heldUntil(held, clock),
      ...present({ lane: held.lane, enqueuedAt: since?.toDate().getTime() as number | undefined }),
      hold: new OwnHold(held),
    },
    held,
  )
}

function incomingOf(raw: WireMessage): Incoming {
  const about = raw.getSystemProperties()
  const properties = new Map<string, string>(raw.getUserPropertiesMap().toArray() as [string, string][])
  const letter = about?.getDeadLetterQueue()
  const tag = about?.getTag() || undefined
  const messageGroup = about?.getMessageGroup() || undefined
  const native = present({
    tag,
    messageGroup,
    keys: about?.getKeysList(),
    messageId: about?.getMessageId(),
    // As the broker itself calls them, which is what readers of its letters ask for.
    DLQ_ORIGIN_TOPIC: letter?.getTopic(),
    DLQ_ORIGIN_MESSAGE_ID: letter?.getMessageId(),
  })
  return { body: raw.getBody_asU8(), properties, native, messageGroup, tag }
}
