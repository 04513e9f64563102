import type { Message as WireMessage } from 'rocketmq-client-nodejs/proto/apache/rocketmq/v2/definition_pb.js'
import type { Clock } from '../../core/ports.ts'
import { present } from '../../core/present.ts'
import { OwnHold } from '../handle.ts'
import type { Delivery } from '../seam.ts'
import { createHandles, type Held as HeldOf } from '../visibility/holdings.ts'
import type { OwnPast, Standing } from '../visibility/own-past.ts'
import type { Parcel as ParcelOf } from '../visibility/receiver.ts'
import { heldUntil, pastName } from '../visibility/settling.ts'
import { type Incoming, toMessage } from './message.ts'
import type { Subscription } from './session.ts'

export type Held = HeldOf<Subscription>
export type Parcel = ParcelOf<Subscription, WireMessage>

const handles = createHandles<Subscription>()
export const heldOf: (delivery: Delivery) => Held = handles.heldOf

export type Provenance = Pick<Held, 'queue' | 'place' | 'address' | 'since' | 'until' | 'arrivedAt'>

/**
 * The broker keeps the order of a queue, with all message groups that stand in it. It gives them out again from the first that was not
 * acknowledged, and counts one more delivery for each of them. All are suspects, which run alone and in this order: so whichever of them ends a
 * process stands first when they come again, and that turn is counted for the first alone. `ahead`: lanes of which something stands before
 * this one; absent where there is no order.
 */
export function parcelOf(raw: WireMessage, from: Provenance, ahead: ReadonlySet<string> | undefined, past: OwnPast): Parcel {
  const about = raw.getSystemProperties()
  const id = about?.getMessageId() ?? ''
  const count = about?.getDeliveryAttempt() || 1
  const own = past.recall(pastName({ ...from, id }), count)
  const lane = ahead && `${about?.getStoreHost()}/${about?.getQueueId()}`
  const isBehind = lane !== undefined && ahead?.has(lane)
  const { turns, suspect }: Standing = own ?? { turns: isBehind ? 0 : count - 1, suspect: count > 1 }
  return { held: { ...from, id, receipt: about?.getReceiptHandle() ?? '', count, turns, suspect, lane }, raw }
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
