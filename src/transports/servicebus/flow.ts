import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import { reasonOf } from './sdk-errors.ts'

/**
 * One link that receives. The SDK asks for so many messages when it subscribes, and for one more each time that a callback of ours
 * ends: so a callback is kept open until another message is wanted, and a link never brings more than it was asked for.
 */
export interface Flow {
  /** How many messages it may bring at the same time. */
  readonly width: number
  /** Messages that were asked for and have not come. */
  readonly expected: number
  /** Asks for one more, where that is possible: it is as soon as one has come. */
  askForOne(): boolean
  /** Tells the link that a message came by from those before: settled by it, a message would be lost on the way. */
  readonly generation: number
  /** Asks for nothing more, and waits for what is on its way. */
  stop(): Promise<void>
}

export interface FlowEvents {
  arrived(message: ServiceBusReceivedMessage, generation: number): void
  failed(error: unknown): void
}

type Subscriber = Pick<ServiceBusReceiver, 'subscribe'>
/** The SDK calls it whenever it has attached the link, at first and again after a loss; its types leave it out. */
type Handlers = Parameters<Subscriber['subscribe']>[0] & { postInitialize(): Promise<void> }

/** The links under receivers, of which the SDK's types say nothing. */
interface WithLink {
  readonly _streamingReceiver?: { readonly _link?: Closable }
  readonly _messageSession?: { readonly _link?: Closable }
}
interface Closable {
  close(...options: unknown[]): Promise<void>
}

/**
 * A link that does not say in time that it is drained is closed by the SDK, and when that is not answered either, nobody catches the
 * failure: it would end the process of whoever stops while the network is half open.
 */
function guardClose(receiver: Subscriber): void {
  const { _streamingReceiver: stream, _messageSession: session } = receiver as WithLink
  const link = stream?._link ?? session?._link
  if (!link || Object.hasOwn(link, 'close')) return
  const close = link.close.bind(link)
  link.close = (...options) => close(...options).catch(() => {})
}

export function openFlow(receiver: Subscriber, width: number, events: FlowEvents): Flow {
  let ends: (() => void)[] = []
  let expected = width
  let generation = 0
  let stopped = false
  const handlers: Handlers = {
    processMessage: (message) =>
      new Promise<void>((end) => {
        expected--
        ends.push(end)
        events.arrived(message, generation)
      }),
    async processError({ error, errorSource }) {
      if (errorSource === 'receive') events.failed(error)
    },
    async postInitialize() {
      // The new link begins with its whole width: what the old one still owed is forgotten.
      guardClose(receiver)
      generation++
      ends = []
      expected = width
    },
  }
  guardClose(receiver)
  const subscription = receiver.subscribe(handlers, { autoCompleteMessages: false, maxConcurrentCalls: width })

  return {
    width,
    get expected() {
      return stopped ? 0 : expected
    },
    get generation() {
      return generation
    },
    askForOne() {
      const end = stopped ? undefined : ends.shift()
      if (!end) return false
      expected++
      end()
      return true
    },
    async stop() {
      stopped = true
      await subscription.close()
    },
  }
}

/** After these the SDK would try for ever, and nobody would hear why nothing comes. */
const hopeless: ReadonlySet<string> = new Set(['MessagingEntityNotFound', 'UnauthorizedAccess', 'MessagingEntityDisabled'])

export function isHopeless(error: unknown): boolean {
  return hopeless.has(reasonOf(error))
}
