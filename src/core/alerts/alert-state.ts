import type { Rule } from './rule.ts'
import type { Verdict } from './verdict.ts'

/**
 * ```
 * ok ──holds──▶ pending ──for so long──▶ firing ──does not hold──▶ recovering ──clear for so long──▶ ok
 *   ◀─does not──┘                          ◀────────holds───────────┘
 * ```
 *
 * With `for` 0 an alert fires at once, and with `keepFiringFor` 0 it is resolved at once. It is up, for people, while it fires or recovers.
 *
 * Not to know is no state of its own: it freezes the one that is there. Time that nobody saw does not count towards `for`, and the time of
 * being clear begins anew afterwards. So a look that fails never raises an alert and never resolves one.
 */
export type Phase = 'ok' | 'pending' | 'firing' | 'recovering'

/** Times are the engine's own. */
export interface AlertState {
  readonly phase: Phase
  /** When the phase began. */
  readonly since: number
  /** Counts how often it has fired. */
  readonly episode: number
  /** Since when it has been clear without a break, while it recovers. */
  readonly clearSince?: number
  readonly unknownSince?: number
}

export interface Step {
  readonly state: AlertState
  readonly change?: 'fired' | 'resolved'
}

type Timing = Pick<Rule, 'for' | 'keepFiringFor'>

export function calm(now: number): AlertState {
  return { phase: 'ok', since: now, episode: 0 }
}

export function isUp({ phase }: Pick<AlertState, 'phase'>): boolean {
  return phase === 'firing' || phase === 'recovering'
}

/** `undefined`: nobody knows. */
export function step(before: AlertState, verdict: Verdict | undefined, timing: Timing, now: number): Step {
  if (!verdict) return { state: frozen(before, now) }
  const state = thawed(before, now)
  switch (state.phase) {
    case 'ok':
      return verdict.holds ? beginPending(state, timing, now) : { state }
    case 'pending':
      return verdict.holds ? firesIfDue(state, timing, now) : { state: enter('ok', state, now) }
    case 'firing':
    case 'recovering':
      return verdict.holds ? { state: firingAgain(state, now) } : recovers(state, verdict, timing, now)
  }
}

function frozen(state: AlertState, now: number): AlertState {
  return state.unknownSince === undefined ? { ...state, unknownSince: now } : state
}

function thawed({ unknownSince, clearSince, ...state }: AlertState, now: number): AlertState {
  if (unknownSince === undefined) return { ...state, ...(clearSince !== undefined && { clearSince }) }
  return state.phase === 'pending' ? { ...state, since: state.since + (now - unknownSince) } : state
}

function beginPending(state: AlertState, timing: Timing, now: number): Step {
  return firesIfDue(enter('pending', state, now), timing, now)
}

function firesIfDue(state: AlertState, timing: Timing, now: number): Step {
  if (now - state.since < timing.for) return { state }
  return { state: { ...enter('firing', state, now), episode: state.episode + 1 }, change: 'fired' }
}

function firingAgain(state: AlertState, now: number): AlertState {
  return state.phase === 'firing' ? state : enter('firing', state, now)
}

function recovers(before: AlertState, { clear }: Verdict, { keepFiringFor }: Timing, now: number): Step {
  const { clearSince = now, ...state } = before.phase === 'recovering' ? before : enter('recovering', before, now)
  if (!clear) return { state }
  if (now - clearSince >= keepFiringFor) return { state: enter('ok', state, now), change: 'resolved' }
  return { state: { ...state, clearSince } }
}

function enter(phase: Phase, { episode }: AlertState, now: number): AlertState {
  return { phase, since: now, episode }
}
