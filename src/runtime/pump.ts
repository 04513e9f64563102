import { chain } from '../core/chain.ts'
import type { Decision } from '../core/decision.ts'
import { RedriveError } from '../core/errors.ts'
import type { Delivery } from '../transports/seam.ts'
import type { Routes } from './channel.ts'
import { createCompany } from './company.ts'
import { createContextHost } from './context-host.ts'
import { drain } from './drain.ts'
import { createHolding } from './holding.ts'
import { createIntake, type Intake } from './intake.ts'
import { createLanes, orderKeyOf } from './lanes.ts'
import { createLosses } from './losses.ts'
import { messageEvent } from './message-event.ts'
import { createOutage } from './outage.ts'
import { createReadyQueue } from './ready-queue.ts'
import { createReleases } from './releases.ts'
import { createRenewal } from './renewal.ts'
import type { ChannelScope } from './scope.ts'
import { createSettler } from './settlement.ts'
import { createWindow } from './slow-start.ts'
import type { Solo } from './solo.ts'
import { mustRunAlone, needsCopy, suspectCopy } from './suspect-copies.ts'
import { givenUp, type TurnTerms, takeTurn } from './take-turn.ts'
import { Turn } from './turn.ts'
import { createWakeUp } from './wake-up.ts'

/**
 * Moves the messages of one channel from the broker through their handlers to their settlement:
 *
 *   take → in hand → lane (order by key) → ready (a free slot) → turn (the handler) → settlement → gone
 *
 * A slot is free again as soon as its handler is done; the delivery stays in hand until the broker has taken its settlement.
 */
export interface Pump {
  readonly state: 'consuming' | 'paused' | 'held-up' | 'outage'
  start(): Promise<void>
  pause(): void
  resume(): void
  /** Takes no more and lets what is running finish within `limit` milliseconds; the rest is released, uncounted. */
  stop(limit: number): Promise<number>
  /** Something outside changed, for instance a suspect of another channel is done: look whether work can go on. */
  proceed(): void
}

export function createPump(scope: ChannelScope, routes: Routes, ordered: boolean, solo: Solo): Pump {
  const { settings, events, stats, platform } = scope
  const { capabilities } = scope.transport
  const { of: routeOf, batches } = routes
  /** All turns that are not settled, in the order in which they were taken. */
  const inHand = chain<Turn>()
  const ready = createReadyQueue()
  const lanes = createLanes()
  const window = createWindow(settings.prefetch)
  const idle = createWakeUp()
  const losses = createLosses(scope, inHand, leaveLost)
  let running = 0
  let settling = 0
  let paused = false
  let stopping = false

  const company = createCompany(platform.clock, stats)
  const terms: TurnTerms = { scope, host: createContextHost(scope, watchTurn), ended, companyOf, slots: lendSlot }
  const holding = createHolding(scope, { held, freed })
  const settler = createSettler(scope, holding, settled)
  const releases = createReleases(scope, lanes, settler, leaveUnrun, batches)
  const renewal = createRenewal(scope, inHand, losses.strays, { lingers: watchTurn, lost: losses.drop, stuck, heldTooLong })
  const outage =
    scope.breaker &&
    createOutage(scope, scope.breaker, { makeWay: makeWayWithFollowers, takeReady: ready.takeAll, line, proceed, mayProbe })
  const intake: Intake = createIntake(scope, { room, admit, lost: receiverLost })
  batches?.bind({
    get hasSlot() {
      return running < settings.concurrency && !solo.running
    },
    get isStill() {
      return running === 0 && settling === 0 && ready.size === 0 && room() === 0
    },
    slots,
    aheadOf: lanes.aheadOf,
    follow,
    startReady,
  })

  return {
    get state() {
      if (paused) return 'paused'
      if (outage?.isOpen) return 'outage'
      return stats.held >= settings.maxHeld ? 'held-up' : 'consuming'
    },
    start,
    pause,
    resume,
    stop,
    proceed,
  }

  async function start(): Promise<void> {
    await intake.start()
    renewal.start()
  }

  /**
   * How many more deliveries may come in now. Held ones do not count: healthy messages flow past them, up to `maxHeld`. Neither do
   * those whose settlement is under way, up to another window of them: handlers need not wait for the broker's disk.
   */
  function room(): number {
    if (paused || stopping || solo.wanted || stats.held >= settings.maxHeld) return 0
    if (outage?.isOpen) return outage.wantsOne && inHand.size - stats.held < settings.prefetch ? 1 : 0
    const active = inHand.size - stats.held - Math.min(settling, window.size)
    const free = Math.max(0, window.size - active)
    // Asking for one message at a time would cost a round trip each: while no slot is idle, wait for a few free places.
    const hasIdleSlot = ready.size === 0 && running < settings.concurrency
    return hasIdleSlot || free >= window.size / 4 ? free : 0
  }

  function admit(delivery: Delivery): void {
    // Lost on its way to us: whoever gets it next must not find that we ran what stands behind it.
    if (!delivery.hold.single && delivery.hold.signal.aborted) return
    const turn = new Turn(delivery, routeOf(delivery))
    turn.suspect = mustRunAlone(delivery)
    if (paused) {
      giveBack(turn)
      return
    }
    const tally = turn.replayed ? stats.replayed : stats.fresh
    tally.received++
    inHand.append(turn)
    if (!delivery.hold.single) losses.watch(delivery.hold)
    if (events.heard('received')) events.emit('received', messageEvent(turn, scope))
    if (lanes.enter(turn, ordered ? orderKeyOf(turn) : undefined)) becomeReady(turn)
    else if (batches) followIfGathered(turn)
  }

  function followIfGathered(turn: Turn): void {
    const ahead = lanes.aheadOf(turn)
    if (ahead) follow(ahead)
  }

  /** Messages of one key may come into a batch together, in order: this one has, and the next may. */
  function follow(ahead: Turn): void {
    const next = lanes.behind(ahead)
    if (!next || stopping || outage?.isOpen || !batches?.lets(next, ahead)) return
    standInTheWay(next)
    begin(next)
  }

  /** While a message waits for its batch, its slot is free; while the batch is handled, all its messages have one together. */
  function slots(change: number): void {
    running += change
    stats.running += change
  }

  /** A take that was under way when the channel was paused may still bring something. */
  function giveBack(turn: Turn): void {
    inHand.append(turn)
    void releases.release(turn, 'paused')
  }

  function becomeReady(turn: Turn): void {
    if (turn.suspect) waitToBeAlone(turn)
    else if (!outage?.intercept(turn)) line(turn)
  }

  function line(turn: Turn): void {
    standInTheWay(turn)
    ready.push(turn)
    startReady()
  }

  function standInTheWay(turn: Turn): void {
    if (turn.inTheWay) return
    turn.inTheWay = true
    solo.enter()
  }

  function mayProbe(): boolean {
    return !paused && !stopping
  }

  function waitToBeAlone(turn: Turn): void {
    window.suspected()
    if (turn.delivery.suspect) events.emit('suspect', messageEvent(turn, scope))
    solo.request(turn, () => {
      if (stopping || turn.over) return
      if (!needsCopy(turn.delivery, capabilities)) return begin(turn)
      turn.copy = suspectCopy(turn.delivery)
      settle(turn, { kind: 'retry', delay: 0 })
    })
  }

  function startReady(): void {
    while (running < settings.concurrency && !solo.running && !stopping) {
      const turn = ready.shift()
      if (!turn) return
      if (!turn.over) begin(turn)
    }
  }

  function begin(turn: Turn): void {
    running++
    turn.state = 'running'
    takeTurn(turn, terms)
  }

  /** Whoever has others waiting for it waits for nobody: those of its key or its batch, or all of them where it must run alone. */
  function companyOf({ suspect, lane }: Turn): Promise<void> | undefined {
    return suspect || batches || lane?.waiting?.length ? undefined : company.join()
  }

  function lendSlot(change: 1 | -1): void {
    running += change
    startReady()
  }

  function ended(turn: Turn, decided: Decision | undefined): void {
    running--
    const decision = outage ? outage.review(turn, decided) : decided
    if (turn.fenced) losses.strays.delete(turn)
    if (batches) batches.look()
    else if (ready.size > 0) startReady()
    if (decision) settle(turn, decision)
    else tellRoom()
  }

  /** Somebody has left, or a handler whose result did not count gave its slot back. */
  function tellRoom(): void {
    if (stopping) idle.call()
    else intake.proceed()
    batches?.look()
  }

  function settle(turn: Turn, decision: Decision): void {
    settling++
    intake.proceed()
    settler.carryOut(turn, decision)
  }

  function settled(turn: Turn, isGone: boolean): void {
    settling--
    if (!isGone) void finishBehind(turn)
    else if (turn.inHand) finish(turn)
  }

  async function finishBehind(turn: Turn): Promise<void> {
    await releases.releaseSiblings(turn)
    if (turn.inHand) finish(turn)
  }

  function leaveUnrun(turn: Turn): void {
    leaveHand(turn)
    tellRoom()
  }

  function finish(turn: Turn): void {
    const next = lanes.leave(turn)
    leaveHand(turn)
    if (next) goOnWith(next)
    if (!turn.suspect && !turn.fenced) window.settled()
    tellRoom()
  }

  /** Nobody stands ahead of it in its lane any more. What is lost itself opens the lane for the next one as it leaves. */
  function goOnWith(turn: Turn): void {
    if (turn.over) return
    if (batches?.aheadGone(turn)) standInTheWay(turn)
    else becomeReady(turn)
  }

  function leaveHand(turn: Turn): void {
    turn.state = 'gone'
    inHand.remove(turn)
    batches?.left(turn)
    makeWay(turn)
  }

  /** A suspect lets everybody go on; everything else only stood in the way of suspects. */
  function makeWay(turn: Turn): void {
    if (turn.suspect) solo.done(turn)
    else if (turn.inTheWay) {
      turn.inTheWay = false
      solo.leave()
    }
  }

  /** It waits, and so do those behind it that have begun with it in a batch: nobody calls or settles them before it is gone. */
  function makeWayWithFollowers(turn: Turn): void {
    makeWay(turn)
    for (let next = lanes.behind(turn); next?.inTheWay; next = lanes.behind(next)) makeWay(next)
  }

  function held(turn: Turn): void {
    settling--
    makeWayWithFollowers(turn)
    if (stats.held === settings.maxHeld) events.emit('paused', { channel: settings.name, why: 'max-held' })
    intake.proceed()
  }

  function freed(): void {
    settling++
    if (stats.held === settings.maxHeld - 1) events.emit('resumed', { channel: settings.name })
    intake.proceed()
  }

  /** A hold that is one delivery's alone is watched once somebody cares, or once it has been ours for a while. */
  function watchTurn(turn: Turn): void {
    losses.watch(turn.delivery.hold)
  }

  /**
   * What its hold says is lost is dropped at once; about the rest only the broker knows. It all comes again as suspects, so we start
   * small: what only waits in hand when the next connection is lost would be blamed for that.
   */
  function receiverLost(): void {
    window.suspected()
    losses.dropLost()
    renewal.askAll()
  }

  function leaveLost(turn: Turn): void {
    if (turn.state === 'waiting') ready.remove(turn)
    outage?.remove(turn)
    holding.stop(turn)
    leaveUnrun(turn)
    void openLane(turn)
  }

  async function openLane(turn: Turn): Promise<void> {
    await releases.releaseSiblings(turn)
    const next = lanes.leave(turn)
    if (next) goOnWith(next)
  }

  function heldTooLong(turn: Turn): void {
    if (turn.state === 'parked') void releaseParked(turn)
    else holding.giveUp(turn, 'held-too-long')
  }

  async function releaseParked(turn: Turn): Promise<void> {
    outage?.remove(turn)
    await releases.release(turn, 'held-too-long')
    await openLane(turn)
  }

  /** What is lost has nothing to settle; that its handler still runs is told all the same. */
  function stuck(turn: Turn): void {
    losses.strays.delete(turn)
    const heldMs = platform.clock.monotonic() - turn.startedAt
    events.emit('stuck', { ...messageEvent(turn, scope), answer: settings.onStuck, heldMs })
    if (settings.onStuck === 'exit') platform.exit(1)
    else if (!turn.fenced && !batches?.split(turn)) overlap(turn)
  }

  function overlap(turn: Turn): void {
    const decision = givenUp(turn, scope)
    turn.context?.abort(new RedriveError('handler-timeout', 'given up on'))
    turn.over = true
    outage?.remove(turn)
    settle(turn, decision)
  }

  function pause(): void {
    if (paused) return
    paused = true
    events.emit('paused', { channel: settings.name, why: 'asked' })
  }

  /** Whoever resumes a channel says that the outage is over, too. */
  function resume(): void {
    outage?.close()
    if (!paused) return
    paused = false
    events.emit('resumed', { channel: settings.name })
    intake.proceed()
  }

  function proceed(): void {
    startReady()
    intake.proceed()
  }

  async function stop(limit: number): Promise<number> {
    const before = stats.released
    stopping = true
    outage?.stop()
    await intake.stop()
    await releaseUnstarted()
    holding.drain()
    await drain(inHand, idle, platform.clock, limit)
    await Promise.all([...inHand].map((turn) => releases.release(turn, 'shutdown')))
    renewal.stop()
    return stats.released - before
  }

  async function releaseUnstarted(): Promise<void> {
    const unstarted = [...inHand].filter(({ state }) => state === 'waiting' || state === 'parked')
    for (const turn of unstarted) {
      ready.remove(turn)
      outage?.remove(turn)
      lanes.leave(turn)
    }
    await Promise.all(unstarted.map((turn) => releases.release(turn, 'shutdown')))
  }
}
