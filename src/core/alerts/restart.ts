import type { AlertState } from './alert-state.ts'

const longOutage = 3_600_000
const leastPending = 10 * 60_000

/** Where the engine's time stood, and what the wall clock said then. */
export interface SavedTime {
  readonly at: number
  readonly savedAt: number
}

/**
 * The engine's time goes on where it stood, plus the time that nobody watched. It only ever takes the wall clock's word for that, and only
 * forwards: a clock that was put back says nothing about how long we were gone.
 */
export function resumedTime({ at, savedAt }: SavedTime, wallNow: number): { readonly at: number; readonly outage: number } {
  const outage = Math.max(0, wallNow - savedAt)
  return { at: at + outage, outage }
}

/** After a long outage nobody can say that a condition held all the time: what was pending has some of it still to go. */
export function afterOutage(state: AlertState, rule: { readonly for: number }, outage: number, now: number): AlertState {
  if (state.phase !== 'pending' || outage < longOutage) return state
  const toGo = Math.min(rule.for, leastPending)
  return { ...state, since: Math.max(state.since, now - rule.for + toGo) }
}
