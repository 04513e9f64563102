import rhea, { type Typed } from 'rhea'
import { type OutLink, roomOf } from './amqp-links.ts'
import { asDeliveryTag } from './lock-token.ts'
import type { Entry, MessageStore } from './message-store.ts'
import { encodeMessage } from './sections.ts'

const { types } = rhea
const states = { active: 0, deferred: 1, scheduled: 2 } as const

/** Links that receive from one store. */
export interface Consumer {
  readonly link: OutLink
  readonly store: MessageStore
  readonly sessionId: string | undefined
  /** The message is gone as soon as it is sent. */
  readonly destructive: boolean
  /** Tokens of what was sent, by the id of the delivery. */
  readonly unsettled: Map<number, string>
}

/** A message as receivers see it. */
export function shown(entry: Entry): Buffer {
  const annotations: Record<string, Typed> = {
    'x-opt-sequence-number': types.wrap_long(entry.sequence),
    'x-opt-enqueued-time': types.wrap_timestamp(entry.enqueuedAt),
    'x-opt-message-state': types.wrap_int(states[entry.state]),
  }
  const until = entry.lock?.until
  if (until !== undefined && Number.isFinite(until)) annotations['x-opt-locked-until'] = types.wrap_timestamp(until)
  if (entry.deadLetterSource !== undefined) annotations['x-opt-deadletter-source'] = types.wrap_string(entry.deadLetterSource)
  return encodeMessage(entry.message, { deliveryCount: entry.deliveryCount, annotations })
}

/** Gives out what there is to whoever has room, one after the other. */
export function pump(consumers: Consumer[]): void {
  for (let idle = 0; idle < consumers.length; ) {
    const consumer = consumers.shift()
    if (!consumer) return
    consumers.push(consumer)
    const entry = roomOf(consumer.link) > 0 ? consumer.store.next(consumer.sessionId) : undefined
    if (entry === undefined) idle++
    else {
      idle = 0
      deliver(consumer, entry)
    }
  }
}

function deliver({ link, store, destructive, unsettled }: Consumer, entry: Entry): void {
  const token = store.lock(entry)
  const delivery = link.send(shown(entry), asDeliveryTag(token), 0)
  if (destructive) store.remove(entry)
  else unsettled.set(delivery.id, token.toString('hex'))
}
