import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import type { Arrival } from './received.ts'

/**
 * What is used of the SDK's receivers beyond its types, and the only place that knows of it. Everything may be absent in another
 * version: then nothing is given here, and whoever asked does without.
 */

type Receiver = Pick<ServiceBusReceiver, 'subscribe'>

interface WithLinks {
  readonly _streamingReceiver?: LinkEntity
  readonly _messageSession?: LinkEntity
}

/** A receiver of the SDK has one for its link, which stays when the link is lost and made anew. */
interface LinkEntity {
  readonly _link?: SdkLink
  readonly _deliveryDispositionMap?: unknown
  _messageHandlers?: () => Handlers
  /** Called by the link for each message, before the SDK has made one of its own of it. */
  _onAmqpMessage?: (arrival: Arrival) => Promise<void>
  readonly _receiverHelper?: { addCredit?(count: number): void }
}

export interface SdkLink {
  close(...options: unknown[]): Promise<void>
  isOpen?(): boolean
  /** How many messages it was asked for that have not come. */
  readonly credit?: number
}

interface Handlers {
  readonly processMessage?: (message: ServiceBusReceivedMessage) => Promise<void>
}

/** Who waits for an answer; the SDK calls one of them, and stops the timer, of which there need be none. */
export interface WaitingForAnswer {
  resolve(): void
  reject(cause: unknown): void
  readonly timer: undefined
}

function entityOf(receiver: Receiver): LinkEntity | undefined {
  const { _streamingReceiver: stream, _messageSession: session } = receiver as WithLinks
  return stream ?? session
}

export function linkOf(receiver: Receiver): SdkLink | undefined {
  return entityOf(receiver)?._link
}

/** Where the SDK looks for who waits, by the number of the delivery, when its link is answered. */
export function waitingFor(receiver: Receiver): Map<number, WaitingForAnswer> | undefined {
  const table = entityOf(receiver)?._deliveryDispositionMap
  return table instanceof Map ? table : undefined
}

/**
 * From now on messages come here at once, where the SDK would wait for a callback for each of them, in a span, and ask for one more when
 * that ends. What `read` can read has not been made a message of the SDK. Gives what asks for more.
 */
export function takeOver(
  receiver: Receiver,
  arrived: (message: ServiceBusReceivedMessage) => void,
  read: (arrival: Arrival) => ServiceBusReceivedMessage | undefined = () => undefined,
): ((count: number) => void) | undefined {
  const entity = (receiver as WithLinks)._streamingReceiver
  const handlers = typeof entity?._messageHandlers === 'function' ? entity._messageHandlers() : undefined
  const credits = entity?._receiverHelper
  if (!entity || typeof handlers?.processMessage !== 'function' || typeof credits?.addCredit !== 'function') return undefined
  const ours: Handlers = {
    ...handlers,
    // It never ends, and nothing keeps it: the SDK has nothing more to do for a message.
    processMessage(message) {
      arrived(message)
      return new Promise(() => {})
    },
  }
  entity._messageHandlers = () => ours
  readFirst(entity, (arrival) => {
    const message = tryToRead(read, arrival)
    if (message) arrived(message)
    return message !== undefined
  })
  return (count) => credits.addCredit?.(count)
}

/** What is thrown here would end up in rhea, which takes it for the end of the connection. The SDK may be able to read it. */
function tryToRead<T>(read: (arrival: Arrival) => T | undefined, arrival: Arrival): T | undefined {
  try {
    return read(arrival)
  } catch {
    return undefined
  }
}

const nothingMore = Promise.resolve()

/** What `take` does not take goes the way of the SDK, and so does what a closed link brings. */
function readFirst(entity: LinkEntity, take: (arrival: Arrival) => boolean): void {
  const { _onAmqpMessage: bySdk } = entity
  if (typeof bySdk !== 'function') return
  entity._onAmqpMessage = (arrival) => (entity._link?.isOpen?.() && take(arrival) ? nothingMore : bySdk(arrival))
}
