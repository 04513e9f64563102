import type { Buffer } from 'node:buffer'
import type { Connection, Delivery, Receiver, Sender, Session, Typed } from 'rhea'
import { ServiceError } from './service-error.ts'

/**
 * What the test server uses of rhea beyond its declared types. The names are rhea's own; each says why it is needed.
 */

/** A link by which a client receives. */
export interface OutLink extends Omit<Sender, 'send' | 'session'> {
  readonly session: OutSession
  readonly state: { open_requests: number; local_open: boolean }
  readonly local: { readonly attach: Attach }
  send(bytes: Buffer | object, tag?: Buffer, format?: number): Delivery & { settled: boolean; remote_settled: boolean }
  credit: number
  _draining: boolean
  _drained: boolean
  delivery_count: number
  /** Stock rhea answers no drain once the credit is used up; the service always does. */
  _get_drain(): boolean
}

interface OutSession extends Session {
  readonly outgoing: { readonly next_delivery_id: number; readonly next_pending_delivery: number; available(): number }
}

/** A link by which a client sends. */
export interface InLink extends Omit<Receiver, 'session'> {
  readonly session: Session
  readonly local: { readonly attach: Attach }
}

interface Attach {
  max_message_size?: number
  snd_settle_mode?: number
  rcv_settle_mode?: number
  properties?: Readonly<Record<string, Typed>>
}

/** Rhea decodes messages, and loses AMQP types on the way; one of an unknown format it hands over as bytes. */
const undecoded = 0x7f000001

interface IncomingTransfers {
  on_transfer(frame: { performative: { message_format: number } }, receiver: object): void
}

/** From now on what comes by links that `wantsBytes` is handed over as it came. */
export function keepBytes(session: Session, wantsBytes: (link: object) => boolean): void {
  const { incoming } = session as unknown as { incoming: IncomingTransfers }
  const original = incoming.on_transfer
  incoming.on_transfer = function (frame, receiver) {
    if (wantsBytes(receiver) && frame.performative.message_format === 0) frame.performative.message_format = undecoded
    return original.call(this, frame, receiver)
  }
}

export function sessionsOf(connection: Connection): Session[] {
  return Object.values((connection as unknown as { local_channel_map: Record<string, Session> }).local_channel_map)
}

/** An attach is answered when `open` is called, and not at once. */
export function withholdAttach({ state }: OutLink): void {
  state.open_requests--
  state.local_open = false
}

export function answerEveryDrain(link: OutLink): void {
  link._get_drain = function () {
    if (!(this._draining && this._drained)) return false
    this.delivery_count += this.credit
    this.credit = 0
    return true
  }
}

/** How many more messages a receiver has room for. */
export function roomOf(link: OutLink): number {
  if (!link.is_open()) return 0
  const { outgoing } = link.session
  return Math.min(link.credit - (outgoing.next_delivery_id - outgoing.next_pending_delivery), outgoing.available())
}

/** Some SDKs name nodes by their whole address. */
export function pathOf(address: unknown): string {
  return String(address ?? '').replace(/^(amqps?|sb):\/\/[^/]+\//i, '')
}

export function refuse(link: OutLink | InLink, error: unknown): void {
  const condition = error instanceof ServiceError ? error.condition : 'amqp:internal-error'
  link.close({ condition, description: error instanceof Error ? error.message : String(error) })
}
