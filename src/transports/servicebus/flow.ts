import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import { linkOf, takeOver } from './inside-sdk.ts'
import type { Settings } from './options.ts'
import type { Arrival } from './received.ts'
import { reasonOf, within } from './sdk-errors.ts'

/**
 * One link that receives. The SDK asks for so many messages when it subscribes, and for one more each time that a callback of ours
 * ends: so a callback is kept open until another message is wanted, and a link never brings more than it was asked for. Where the SDK
 * lets us, many are asked for at once, and no callback ends.
 */
export interface Flow {
  /** How many messages it may bring at the same time. */
  readonly width: number
  /** From now on it may bring as many, where that is possible; it is asked for none of them by that. */
  widen(width: number): void
  /** Messages that were asked for and have not come. */
  readonly expected: number
  /** Asks for as many more, where that is possible: it is for as many as have come. Gives how many. */
  askFor(most: number): number
  /** Tells the link that a message came by from those before: settled by it, a message would be lost on the way. */
  readonly generation: number
  /** Asks for nothing more, and waits for what is on its way. */
  stop(): Promise<void>
}

export interface FlowEvents {
  /** Makes a message of what has come, where the SDK lets us and it can. */
  readonly read?: (arrival: Arrival) => ServiceBusReceivedMessage | undefined
  arrived(message: ServiceBusReceivedMessage, generation: number): void
  failed(error: unknown): void
  /** Whether something that it brought would be lost with it: then it stays open though it is not drained in time. */
  isNeeded?(): boolean
}

type Subscriber = Pick<ServiceBusReceiver, 'subscribe'>
/** The SDK calls it whenever it has attached the link, at first and again after a loss; its types leave it out. */
type Handlers = Parameters<Subscriber['subscribe']>[0] & { postInitialize(): Promise<void> }

type Patience = Pick<Settings, 'clock' | 'answerWithin'>

/**
 * A link that does not say in time that it is drained is closed by the SDK, and when that is not answered either, nobody catches the
 * failure: it would end the process of whoever stops while the network is half open. And when the connection breaks before it is answered,
 * it never ends: whoever waits for it, the SDK as well before it attaches the link anew, would wait for ever.
 */
function guardClose(receiver: Subscriber, { clock, answerWithin }: Patience, staysOpen: () => boolean): void {
  const link = linkOf(receiver)
  if (!link || Object.hasOwn(link, 'close')) return
  const close = link.close.bind(link)
  link.close = async (...options) => {
    if (!staysOpen()) await within(clock, answerWithin, 'unreachable', close(...options)).catch(() => {})
  }
}

export function openFlow(receiver: Subscriber, first: number, patience: Patience, events: FlowEvents): Flow {
  let ends: (() => void)[] = []
  let width = first
  let expected = first
  let generation = 0
  let stopped = false
  let isDraining = false
  const staysOpen = (): boolean => isDraining && events.isNeeded?.() === true

  function arrived(message: ServiceBusReceivedMessage): void {
    expected--
    events.arrived(message, generation)
  }

  const handlers: Handlers = {
    processMessage: (message) =>
      new Promise<void>((end) => {
        ends.push(end)
        arrived(message)
      }),
    async processError({ error, errorSource }) {
      if (errorSource === 'receive') events.failed(error)
    },
    async postInitialize() {
      // The SDK asks the new link for as many as it asked the first one for, beside what we may have asked it for since it is open: what the
      // old one still owed is forgotten.
      guardClose(receiver, patience, staysOpen)
      generation++
      ends = []
      expected = first + (linkOf(receiver)?.credit ?? 0)
    },
  }
  guardClose(receiver, patience, staysOpen)
  const subscription = receiver.subscribe(handlers, { autoCompleteMessages: false, maxConcurrentCalls: first })
  const askAny = takeOver(receiver, arrived, events.read)
  const ask = askAny ?? endSome

  function endSome(count: number): void {
    for (const end of ends.splice(0, count)) end()
  }

  return {
    get width() {
      return width
    },
    widen(to) {
      // What the SDK asks for itself is never more than the callbacks that have ended.
      if (askAny) width = Math.max(width, to)
    },
    get expected() {
      return stopped ? 0 : expected
    },
    get generation() {
      return generation
    },
    askFor(most) {
      const count = stopped ? 0 : Math.min(most, width - expected)
      if (count <= 0) return 0
      expected += count
      try {
        ask(count)
      } catch {
        // The link is gone; the next one is asked for as many as this one was at first.
      }
      return count
    },
    async stop() {
      stopped = true
      isDraining = true
      try {
        await subscription.close()
      } finally {
        isDraining = false
      }
    },
  }
}

/** After these the SDK would try for ever, and nobody would hear why nothing comes. */
const hopeless: ReadonlySet<string> = new Set(['MessagingEntityNotFound', 'UnauthorizedAccess', 'MessagingEntityDisabled'])

export function isHopeless(error: unknown): boolean {
  return hopeless.has(reasonOf(error))
}
