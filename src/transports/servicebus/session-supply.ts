import type { ServiceBusReceivedMessage, ServiceBusSessionReceiver } from '@azure/service-bus'
import type { Cancel } from '../../core/ports.ts'
import type { Bus } from './bus.ts'
import { longestDelayInPlace } from './capabilities.ts'
import { createDispositionPace, type DispositionPace } from './disposition-pace.ts'
import { type Flow, isHopeless, openFlow } from './flow.ts'
import { givePlaceUp, type Held, type Lock, loseLock, newHeld, newLock, notBefore } from './held.ts'
import { type LinkPlaces, linkPlaces } from './link-places.ts'
import { createPatience } from './patience.ts'
import type { Intake, ReceiveContext, Supply } from './receiving.ts'
import { within } from './sdk-errors.ts'
import { sessionKey } from './session-id.ts'
import { createSessionLine, type SessionLine } from './session-line.ts'
import { release } from './settle.ts'

interface Session {
  readonly receiver: ServiceBusSessionReceiver
  readonly lock: Lock
  readonly flow: Flow
  readonly pace: DispositionPace
  readonly line: SessionLine
  readonly places: LinkPlaces
  /** Its messages in our hands, given out or not. */
  holding: number
  /** It gives nothing more, and is let go when what it gave is settled. */
  retired: boolean
  /** What was on its way has come, and nothing comes any more. */
  drained: boolean
  cancelIdle?: Cancel
}

/** How long until a namespace that failed is asked again. Milliseconds. */
const pause = 250
/** Past the time for an answer: nobody waits so long for a session. But where the connection breaks at the wrong moment, the SDK waits for ever. Milliseconds. */
const longestAccept = 120_000

/**
 * Sessions of an entity, each a link with a lock of its own. Another one is asked for while somebody wants something and nothing is
 * here; one that has nothing to give for a while is let go, so that others may have it.
 */
export function sessionSupply({ bus, settings, keeper, service, address, options }: ReceiveContext, intake: Intake): Supply {
  const { clock } = settings
  const answers = createPatience(clock, settings.answerWithin)
  /** The one that was asked longest ago comes first. */
  const sessions = new Set<Session>()
  let wanted = false
  let accepting = false
  let stopped = false
  let closed = false
  let width = 1

  async function accept(): Promise<void> {
    if (accepting || closed || !wanted || sessions.size >= Math.max(options.prefetch, 1)) return
    accepting = true
    try {
      const receiver = await nextSession()
      // Not waited for: it may never end.
      if (closed || stopped) receiver.close().catch(() => {})
      else adopt(receiver)
    } catch (error) {
      if (isHopeless(error)) return intake.fail(error)
      intake.doubt()
      await aPause()
    } finally {
      accepting = false
    }
    void accept()
  }

  async function nextSession(): Promise<ServiceBusSessionReceiver> {
    const asked = acceptNext(bus, address)
    try {
      return await within(clock, settings.answerWithin + longestAccept, 'unreachable', asked, { background: true })
    } catch (error) {
      // One that comes after all is for others.
      asked.then((late) => late.close()).catch(() => {})
      throw error
    }
  }

  function adopt(receiver: ServiceBusSessionReceiver): void {
    const until = receiver.sessionLockedUntilUtc.getTime()
    service.locked(until)
    const lock = newLock(until, clock.now(), () => receiver.renewSessionLock(), clock.now() + options.hold)
    const flow = openFlow(receiver, width, settings, {
      arrived: (message) => arrive(session, message),
      failed: (error) => loseLock(lock, 'The session was lost: its messages go to somebody else.', error),
      // Its lock would end with its link, under whoever has something of it in hand.
      isNeeded: () => sessions.has(session) && session.holding > 0,
    })
    const line = createSessionLine({
      // By its time all consumers of the session know when a retry is due.
      clock: { now: service.now, after: clock.after.bind(clock) },
      ordered: sessionKey(receiver.sessionId) !== undefined,
      patience: settings.answerWithin,
      offer: intake.offer,
      takeBack: () => intake.takeBack((held) => held.lock === lock),
    })
    const session: Session = {
      receiver,
      lock,
      flow,
      pace: createDispositionPace(clock),
      line,
      places: linkPlaces(),
      holding: 0,
      retired: false,
      drained: false,
    }
    lock.onLoss = () => drop(session)
    sessions.add(session)
    keeper.add(lock)
    watchIdle(session)
  }

  function arrive(session: Session, received: ServiceBusReceivedMessage): void {
    const { lock, receiver } = session
    session.holding++
    session.cancelIdle?.()
    wanted = false
    const held = newHeld({
      received,
      address,
      lock,
      origin: {
        desk: receiver,
        receiver,
        types: bus.library.types,
        alive: () => lock.loss === undefined,
        inSession: true,
        pace: session.pace,
        answers,
        service,
        returning: (one, comes) => returning(session, one, comes),
        left: (one) => left(session, one),
        doubt: intake.doubt,
      },
    })
    session.places.arrived(held)
    makePlace(session)
    intake.hold(held)
    keepFor(session, notBefore(held) - service.now())
    // It was not drained in time, and this was on its way.
    if (session.drained) void giveBack(held)
    else session.line.arrived(held)
  }

  /** A session has one link and no other, which must go on bringing what stands behind one that stays in our hands. */
  function makePlace({ places }: Session): void {
    const { oldest } = places
    if (!places.isStretched || !oldest || oldest.settling) return
    givePlaceUp(oldest)
    places.left(oldest)
  }

  /**
   * What waits in the line is in nobody's hands, and nobody else renews its lock. Whoever takes it then has as long as always. A time that is
   * further off than any that we write is not one of ours, and a session is not kept for it.
   */
  function keepFor({ lock }: Session, ms: number): void {
    if (ms <= 0) return
    lock.keepUntil = Math.max(lock.keepUntil, clock.now() + Math.min(ms, longestDelayInPlace(true)) + options.hold)
  }

  function left(session: Session, held: Held): void {
    if (!intake.held.has(held)) return
    session.holding--
    session.places.left(held)
    session.line.left(held)
    // In the place of what was given back, whatever room there is: others may have taken it, and those behind it wait for it.
    if (session.line.awaits(held)) session.flow.askFor(1)
    intake.left(held)
    if (session.holding > 0) return
    if (!session.retired) watchIdle(session)
    // While it is being drained, more may be on its way.
    else if (session.drained) void letGo(session)
  }

  function returning(session: Session, held: Held, comes: boolean): void {
    // Until it is back, which begins when that was answered.
    keepFor(session, 2 * settings.answerWithin)
    session.line.returning(held, comes)
    if (session.drained) giveBackStranded(session)
  }

  /** What was given back comes again by the next link of the session, and those that stand behind it must come after it: they go back as well. */
  function giveBackStranded(session: Session): void {
    for (const held of session.line.takeStranded()) void giveBack(held)
  }

  /** The session is let go only when it is back: whoever has it next must not find it missing. */
  async function giveBack(held: Held): Promise<void> {
    while (!closed && intake.held.has(held)) {
      try {
        await release(held, settings)
      } catch {
        await aPause()
      }
    }
  }

  function aPause(): Promise<void> {
    return new Promise((resolve) => clock.after(pause, resolve, { background: true }))
  }

  function watchIdle(session: Session): void {
    session.cancelIdle?.()
    session.cancelIdle = clock.after(settings.sessionIdle, () => void retire(session), { background: true })
  }

  /** What is on its way comes first: else it would go back as if it had been delivered in vain. */
  async function retire(session: Session): Promise<void> {
    if (session.retired) return
    session.retired = true
    session.cancelIdle?.()
    await session.flow.stop().catch(() => {})
    session.drained = true
    giveBackStranded(session)
    if (session.holding === 0) await letGo(session)
  }

  async function letGo(session: Session): Promise<void> {
    if (!sessions.delete(session)) return
    session.line.end()
    keeper.remove(session.lock)
    await session.receiver.close().catch(() => {})
    void accept()
  }

  /** Its lock is lost: whatever it gave is somebody else's. */
  function drop(session: Session): void {
    session.cancelIdle?.()
    session.retired = true
    session.line.end()
    for (const held of [...intake.held]) if (held.lock === session.lock) intake.left(held)
    void letGo(session)
  }

  function refill(room: number): void {
    if (room <= 0) return
    let rest = room
    for (const session of inTurn()) {
      const asked = session.flow.askFor(rest)
      if (asked > 0) putLast(session)
      rest -= asked
      if (rest <= 0) return
    }
  }

  /** Those that wait for something first; else one with a backlog would take all room from others for ever. */
  function inTurn(): Session[] {
    const open = [...sessions].filter(({ retired }) => !retired)
    return open.sort((one, other) => Number(other.line.awaitsAny()) - Number(one.line.awaitsAny()))
  }

  function putLast(session: Session): void {
    sessions.delete(session)
    sessions.add(session)
  }

  return {
    expected: () => 0,
    want(max, room) {
      stopped = false
      width = Math.max(1, Math.min(max, options.prefetch))
      refill(room)
      if (!intake.isEmpty) return
      wanted = true
      void accept()
    },
    refill,
    async stop() {
      wanted = false
      stopped = true
      await Promise.allSettled([...sessions].map(retire))
    },
    async close() {
      closed = true
      await Promise.allSettled([...sessions].map(letGo))
    },
  }
}

async function acceptNext({ client }: Bus, { name, group }: ReceiveContext['address']): Promise<ServiceBusSessionReceiver> {
  const options = { maxAutoLockRenewalDurationInMs: 0, skipParsingBodyAsJson: true, skipConvertingDate: true } as const
  return group === undefined ? client.acceptNextSession(name, options) : client.acceptNextSession(name, group, options)
}
