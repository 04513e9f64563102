import type { Decision } from '../core/decision.ts'
import type { Cancel } from '../core/ports.ts'
import type { Breaker } from './breaker.ts'
import { messageEvent } from './message-event.ts'
import type { ChannelScope } from './scope.ts'
import type { Turn } from './turn.ts'

/**
 * What a channel does while its breaker is open. Nothing is taken but what is needed for probing. Turns that could run, and turns
 * that fail in a way that another try may mend, are parked: they stay in hand and ours, cost no attempt and nothing at the broker,
 * and run when the breaker closes. Probes are taken from them, those first that have not failed since it opened.
 */
export interface Outage {
  readonly isOpen: boolean
  /** Whether one more delivery may be taken, for probing. */
  readonly wantsOne: boolean
  /**
   * A turn has ended, with this decision or, when its result did not count, with none. Gives what is to be carried out, which is
   * nothing when the turn is parked.
   */
  review(turn: Turn, decision: Decision | undefined): Decision | undefined
  /** A turn could run: parks it, while open. Tells whether it did. */
  intercept(turn: Turn): boolean
  /** The turn is not ours any more, or its result does not count. */
  remove(turn: Turn): void
  /** Somebody says that the outage is over. */
  close(): void
  /** From now on nothing is parked, and no probe runs. */
  stop(): void
}

export interface OutageListener {
  /** The turn stands in nobody's way. */
  makeWay(turn: Turn): void
  /** All turns that wait for a slot, which leave their queue. */
  takeReady(): readonly Turn[]
  /** Runs as soon as there is a slot. */
  line(turn: Turn): void
  /** There may be room. */
  proceed(): void
  /** Whether a probe may run at all, or the channel was paused. */
  mayProbe(): boolean
}

const release: Decision = { kind: 'release' }

export function createOutage(scope: ChannelScope, breaker: Breaker, listener: OutageListener): Outage {
  const { settings, platform, events, stats } = scope
  const { clock } = platform
  const untried = new Set<Turn>()
  const tried = new Set<Turn>()
  let probe: Turn | undefined
  let wantsOne = false
  let isDue = false
  let stopping = false
  let cancel: Cancel | undefined

  return {
    get isOpen() {
      return breaker.state !== 'closed'
    },
    get wantsOne() {
      return wantsOne
    },
    review(turn, decision) {
      if (turn.isPutOff) return turn.over ? undefined : setAside(turn)
      if (!breaker.isAlert && decision?.kind === 'complete') return decision
      const failed = decision !== undefined && hasFailed(turn, decision)
      if (breaker.state === 'closed') observe(turn, failed, decision)
      else judge(turn, failed, decision)
      return failed && breaker.pardons(clock.monotonic()) ? pardon(turn) : decision
    },
    intercept,
    remove(turn) {
      takeOut(turn)
      if (turn !== probe) return
      probe = undefined
      breaker.probed('undecided')
      schedule()
    },
    close() {
      if (breaker.state !== 'closed') close()
    },
    stop() {
      stopping = true
      cancel?.()
    },
  }

  function intercept(turn: Turn): boolean {
    if (breaker.state === 'closed' || stopping) return false
    park(turn, untried)
    wantsOne = false
    if (isDue) runProbe()
    return true
  }

  /** No handler had it, so there is nothing to judge or to pardon: it waits like one that was ready. */
  function setAside(turn: Turn): Decision | undefined {
    if (stopping) return release
    listener.makeWay(turn)
    turn.isPutOff = false
    turn.runs = 0
    if (!intercept(turn)) listener.line(turn)
    return undefined
  }

  /**
   * A message that fails again tells of itself, and one that did not run, because it is poison, of nothing; one that fails for the
   * first time, and any that succeeds, tell of the world.
   */
  function observe(turn: Turn, failed: boolean, decision: Decision | undefined): void {
    if (decision === undefined || decision.kind === 'release' || turn.runs === 0 || (failed && turn.attempt > 1)) return
    if (breaker.record(failed, clock.monotonic())) open()
  }

  function judge(turn: Turn, failed: boolean, decision: Decision | undefined): void {
    // What has to run alone is not kept for a probe. Where one is due and nobody else was there, it has asked already.
    const standsIn = failed && isDue && hasBegunSince(turn)
    if (standsIn) {
      isDue = false
      wantsOne = false
    }
    const isProbe = turn === probe || standsIn
    if (turn === probe) probe = undefined
    if (decision?.kind === 'complete' && hasBegunSince(turn)) close()
    else if (isProbe) goOn(turn, failed)
  }

  /** What had begun before tells nothing: the dependency may have failed in the meantime. */
  function hasBegunSince({ startedAt }: Turn): boolean {
    return startedAt > breaker.openedAt
  }

  function goOn(turn: Turn, failed: boolean): void {
    breaker.probed(failed ? 'failed' : 'undecided')
    events.emit('breaker-probed', { ...messageEvent(turn, scope), failed, probeInMs: breaker.probeIn })
    schedule()
  }

  function pardon(turn: Turn): Decision | undefined {
    if (stopping) return release
    // It has ended a run and nobody died of it.
    listener.makeWay(turn)
    turn.suspect = false
    turn.runs = 0
    turn.failure = undefined
    park(turn, tried)
    return undefined
  }

  function park(turn: Turn, among: Set<Turn>): void {
    turn.state = 'parked'
    turn.heldSince = clock.monotonic()
    among.add(turn)
    stats.parked++
  }

  function open(): void {
    stats.breakerOpen = 1
    stats.breakerTrips++
    events.emit('breaker-opened', { channel: settings.name, probeInMs: breaker.probeIn })
    for (const turn of listener.takeReady()) {
      listener.makeWay(turn)
      park(turn, untried)
    }
    schedule()
  }

  function close(): void {
    cancel?.()
    isDue = false
    wantsOne = false
    breaker.close()
    stats.breakerOpen = 0
    events.emit('breaker-closed', { channel: settings.name, openMs: clock.monotonic() - breaker.openedAt })
    for (const turn of [...untried, ...tried]) unpark(turn)
    listener.proceed()
  }

  function takeOut(turn: Turn): void {
    if (untried.delete(turn) || tried.delete(turn)) stats.parked--
  }

  function unpark(turn: Turn): void {
    takeOut(turn)
    turn.state = 'waiting'
    listener.line(turn)
  }

  function schedule(): void {
    if (stopping) return
    cancel = clock.after(breaker.probeIn, due, { background: true })
  }

  /** A new message is asked for as well: all that are in hand may be bad, while those behind them are not. */
  function due(): void {
    if (!listener.mayProbe()) {
      schedule()
      return
    }
    isDue = true
    wantsOne = untried.size === 0
    runProbe()
    if (wantsOne) listener.proceed()
  }

  function runProbe(): void {
    const [next] = untried.size > 0 ? untried : tried
    if (!next) return
    isDue = false
    probe = next
    breaker.probing()
    unpark(next)
  }
}

/** Another try may mend it. A handler that asks for a retry puts its message off, which is no failure. */
function hasFailed({ failure, context }: Turn, { kind }: Decision): boolean {
  if (failure?.class !== 'retryable' || context?.asked !== undefined) return false
  return kind === 'run' || kind === 'retry' || kind === 'bury'
}
