import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import { encodedRejection } from './encoded-rejection.ts'
import { waitingFor } from './inside-sdk.ts'
import type { RheaTypes, Typed } from './rhea.ts'

/**
 * Settling by the link that a message came by, without the SDK in between. For each message that makes a span, a loop of attempts, a
 * timer and a dozen promises; and what it waits for in the end is an entry in a table of its receiver, by the number of the delivery.
 * That entry is made here. Whatever is not as we know it is left to the SDK, which settles in its own way.
 */

/** Who waits to hear what became of a settlement. */
export interface Answer {
  done(): void
  failed(cause: unknown): void
}

/** What is used of a delivery of rhea: it is written at the end of this turn, and the link tells when it was answered. */
interface LinkDelivery {
  readonly id: number
  readonly remote_settled: boolean
  readonly link: { is_open(): boolean; readonly connection: { readonly socket?: object } }
  accept(): void
  update(settled: undefined, state: Typed): void
}

interface Socket {
  cork(): void
  uncork(): void
  setNoDelay(is: boolean): void
}

/** Whether it is being settled now; nobody is told anything where it is not. */
export function completeByLink(receiver: ServiceBusReceiver, received: ServiceBusReceivedMessage, answer: Answer): boolean {
  return settle(receiver, received, answer, (delivery) => delivery.accept())
}

/** `texts` are the names and values of what there is to say, one after the other. */
export function rejectByLink(
  receiver: ServiceBusReceiver,
  received: ServiceBusReceivedMessage,
  answer: Answer,
  { types, texts }: { readonly types: RheaTypes; readonly texts: readonly string[] },
): boolean {
  const state = encodedRejection(types, texts)
  return state !== undefined && settle(receiver, received, answer, (delivery) => delivery.update(undefined, state))
}

/**
 * Rhea frees the place of a delivery when the service has answered it on its link, and those of later ones not before. What was lost, or
 * settled by request, is never answered there. Nothing is written.
 */
export function forgetDelivery(received: ServiceBusReceivedMessage): void {
  const { delivery } = received as { readonly delivery?: { settled?: unknown } }
  if (typeof delivery?.settled === 'boolean') delivery.settled = true
}

function settle(
  receiver: ServiceBusReceiver,
  received: ServiceBusReceivedMessage,
  { done, failed }: Answer,
  write: (delivery: LinkDelivery) => void,
): boolean {
  const table = waitingFor(receiver)
  const { delivery } = received as { readonly delivery?: unknown }
  if (!table || !isOpen(delivery)) return false
  table.set(delivery.id, { resolve: done, reject: failed, timer: undefined })
  write(delivery)
  writeTogether(delivery.link.connection.socket)
  return true
}

function isOpen(delivery: unknown): delivery is LinkDelivery {
  const { id, remote_settled: isSettled, link, accept, update } = (delivery ?? {}) as Partial<LinkDelivery>
  const isKnown = typeof id === 'number' && typeof accept === 'function' && typeof update === 'function'
  return isKnown && isSettled === false && typeof link?.is_open === 'function' && link.is_open()
}

const corked = new WeakSet<object>()
const undelayed = new WeakSet<object>()

/**
 * Rhea writes one frame after the other to its socket, at the end of this turn, and each would be a call of the operating system. What
 * was told it before this comes first.
 */
function writeTogether(socket: object | undefined): void {
  if (!socket || corked.has(socket)) return
  const { cork, uncork } = socket as Partial<Socket>
  if (typeof cork !== 'function' || typeof uncork !== 'function') return
  sendAtOnce(socket)
  corked.add(socket)
  cork.call(socket)
  process.nextTick(() => {
    corked.delete(socket)
    uncork.call(socket)
  })
}

/** The SDK leaves it to the system when to send: that waits for the answer to what it sent before, and the other end may wait with that one. */
function sendAtOnce(socket: Partial<Socket>): void {
  if (undelayed.has(socket)) return
  undelayed.add(socket)
  socket.setNoDelay?.(true)
}
