import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import { createDispositionPace, type DispositionPace } from './disposition-pace.ts'
import { type Flow, isHopeless, openFlow } from './flow.ts'
import { type Held, newLock } from './held.ts'
import type { Intake, ReceiveContext, Supply } from './receiving.ts'

interface Link {
  readonly receiver: ServiceBusReceiver
  readonly flow: Flow
}

/** More than this at once makes no link faster. */
const widest = 500

/**
 * Links to an entity without sessions. A link cannot be made wider, so that another one is opened when more is wanted at once; a
 * consumer that starts small is small at the broker.
 */
export function queueSupply({ bus, settings, keeper, address }: ReceiveContext, intake: Intake): Supply {
  const { clock } = settings
  const desk = bus.desk(address)
  let links: Link[] = []
  /** Closed for new messages; open for what is settled by them. */
  let retired: Link[] = []

  function openLink(width: number): void {
    const receiver = bus.openReceiver(address)
    const pace = createDispositionPace(clock)
    const flow: Flow = openFlow(receiver, width, {
      arrived: (message, generation) => arrive(message, pace, () => flow.generation === generation),
      failed(error) {
        if (isHopeless(error)) intake.fail(error)
        else intake.doubt()
      },
    })
    links.push({ receiver, flow })
  }

  function arrive(received: ServiceBusReceivedMessage, pace: DispositionPace, isSameLink: () => boolean): void {
    const until = received.lockedUntilUtc?.getTime() ?? clock.now()
    // Kept while it waits here; whoever takes it says for how long then.
    const lock = newLock(until, clock.now(), () => desk.renewMessageLock(received), Number.POSITIVE_INFINITY)
    const held: Held = {
      received,
      address,
      lock,
      origin: { desk, alive: isSameLink, inSession: false, pace, left, doubt: intake.doubt },
      buffered: true,
      settlement: undefined,
      answered: false,
    }
    lock.onLoss = () => left(held)
    keeper.add(lock)
    intake.hold(held)
    intake.offer(held)
  }

  function left(held: Held): void {
    keeper.remove(held.lock)
    intake.left(held)
  }

  function refill(room: number): void {
    let left = room
    for (const { flow } of links) while (left > 0 && flow.askForOne()) left--
  }

  return {
    expected: () => links.reduce((sum, { flow }) => sum + flow.expected, 0),
    want(max, room) {
      refill(room)
      const width = links.reduce((sum, { flow }) => sum + flow.width, 0)
      const more = Math.min(max, widest) - width
      if (more > 0 && room > 0) openLink(Math.min(more, room))
    },
    refill,
    async stop() {
      const stopping = links
      links = []
      retired.push(...stopping)
      await Promise.allSettled(stopping.map(({ flow }) => flow.stop()))
    },
    async close() {
      const closing = [...links, ...retired]
      links = []
      retired = []
      await Promise.allSettled(closing.map(({ receiver }) => receiver.close()))
    },
  }
}
