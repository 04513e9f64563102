import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import { createDispositionPace } from './disposition-pace.ts'
import { type Flow, isHopeless, openFlow } from './flow.ts'
import { type Held, newHeld, newLock, type Origin } from './held.ts'
import { type LinkPlaces, linkPlaces } from './link-places.ts'
import { createPatience } from './patience.ts'
import { receivedFrom } from './received.ts'
import type { Intake, ReceiveContext, Supply } from './receiving.ts'

interface Link {
  readonly receiver: ServiceBusReceiver
  readonly flow: Flow
  /** Its messages in our hands. */
  holding: number
  readonly places: LinkPlaces
  /** It is asked for nothing more, and closed when all that it was asked for has come and is settled. */
  outgrown: boolean
}

/** More than this at once makes no link faster. */
const widest = 500

/** Whatever is asked for or settled is a frame of its own on each link: four that are equal are enough. */
function isTooNarrow(width: number, wanted: number): boolean {
  return width * 4 <= wanted
}

/**
 * Links to an entity without sessions. One is enough where it can be made wider when more is wanted at once. Where it cannot, another one is
 * opened, and those that are too narrow by then are asked for nothing more; a consumer that starts small is small at the broker. The same
 * goes for one that has brought many since the oldest of its messages in our hands.
 */
export function queueSupply({ bus, settings, keeper, service, address }: ReceiveContext, intake: Intake): Supply {
  const { clock } = settings
  const { types, long } = bus.library
  const desk = bus.desk(address)
  const answers = createPatience(clock, settings.answerWithin)
  let links: Link[] = []
  /** Closed for new messages; open for what is settled by them. */
  const retired = new Set<Link>()

  function openLink(width: number): void {
    const receiver = bus.openReceiver(address)
    const pace = createDispositionPace(clock, { clock, arrived: () => link.places.brought })
    /** One for all that came since the link was last attached. */
    let origin: Origin | undefined
    let attached = 0
    const originOf = (generation: number): Origin => {
      const alive = (): boolean => flow.generation === generation
      const settling = { desk, receiver, types, pace, answers, service }
      return { ...settling, alive, inSession: false, left: (held) => left(link, held), doubt: intake.doubt }
    }
    const flow: Flow = openFlow(receiver, width, settings, {
      read: (arrival) => receivedFrom(arrival, long),
      arrived(message, generation) {
        if (attached !== generation) {
          origin = undefined
          link.places.attachedAnew()
        }
        attached = generation
        origin ??= originOf(generation)
        arrive(link, message, origin)
      },
      failed(error) {
        if (isHopeless(error)) intake.fail(error)
        else intake.doubt()
      },
    })
    const link: Link = { receiver, flow, holding: 0, places: linkPlaces(), outgrown: false }
    links.push(link)
  }

  function arrive(link: Link, received: ServiceBusReceivedMessage, origin: Origin): void {
    const until = received.lockedUntilUtc?.getTime() ?? clock.now()
    service.locked(until)
    // Kept while it waits here; whoever takes it says for how long then.
    const lock = newLock(until, clock.now(), () => desk.renewMessageLock(received), Number.POSITIVE_INFINITY)
    const held = newHeld({ received, address, lock, origin })
    lock.onLoss = () => origin.left(held)
    link.holding++
    link.places.arrived(held)
    keeper.add(lock)
    intake.hold(held)
    intake.offer(held)
  }

  function left(link: Link, held: Held): void {
    if (!intake.held.has(held)) return
    link.holding--
    link.places.left(held)
    keeper.remove(held.lock)
    intake.left(held)
    if (link.outgrown) closeEmpty(link)
  }

  function closeEmpty(link: Link): void {
    const isOpen = links.includes(link) || retired.has(link)
    if (link.holding > 0 || link.flow.expected > 0 || !isOpen) return
    links = links.filter((each) => each !== link)
    retired.delete(link)
    // While the connection is down the SDK closes nothing, and would attach the link anew and ask it for messages that nobody counts.
    link.flow.stop().catch(() => {})
    link.receiver.close().catch(() => {})
  }

  function giveUpStretched(): void {
    for (const link of links) link.outgrown ||= link.places.isStretched
  }

  function refill(room: number): void {
    if (room <= 0) return
    giveUpStretched()
    let rest = room
    for (const { flow, outgrown } of links) if (rest > 0 && !outgrown) rest -= flow.askFor(rest)
  }

  function width(): number {
    return links.reduce((sum, { flow, outgrown }) => (outgrown ? sum : sum + flow.width), 0)
  }

  function expected(): number {
    return links.reduce((sum, { flow }) => sum + flow.expected, 0)
  }

  /** Not before what was on its way has come. */
  async function retire(link: Link): Promise<void> {
    retired.add(link)
    await link.flow.stop()
    link.outgrown = true
    closeEmpty(link)
  }

  return {
    expected,
    want(max, room) {
      if (room <= 0) return
      const wanted = Math.min(max, widest)
      giveUpStretched()
      for (const { flow, outgrown } of links) if (!outgrown) flow.widen(flow.width + wanted - width())
      for (const link of links) link.outgrown ||= isTooNarrow(link.flow.width, wanted)
      refill(room)
      const more = Math.min(wanted - width(), room)
      if (!isTooNarrow(more, wanted)) openLink(more)
    },
    refill,
    async stop() {
      const stopping = links
      links = []
      await Promise.allSettled(stopping.map(retire))
    },
    async close() {
      const closing = [...links, ...retired]
      links = []
      retired.clear()
      await Promise.allSettled(closing.map(({ receiver }) => receiver.close()))
    },
  }
}
