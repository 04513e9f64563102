import { compareVersions } from '../core/version-order.ts'

/**
 * - `open`: nobody has said anything about it.
 * - `acknowledged`: somebody is at it.
 * - `resolved`: it is mended, perhaps from a version on.
 * - `archived`: nobody wants to hear of it, until it gets worse than it was then.
 */
export const causeStates = ['open', 'acknowledged', 'resolved', 'archived'] as const

export type CauseState = (typeof causeStates)[number]

export interface JudgedCause {
  readonly state: CauseState
  readonly fixedIn: string | null
  /** The number of unresolved letters above which an archived cause is worse than it was. */
  readonly worseThan: number | null
  /** Unresolved letters, the one that has just come included. */
  readonly unresolved: number
}

/**
 * Whether a letter that comes now opens its cause again. After "fixed in 1.4.0" a letter from an older consumer says nothing: that one does
 * not have the fix. One that says no version, or a version that cannot be compared, might have it.
 */
export function reopens({ state, fixedIn, worseThan, unresolved }: JudgedCause, version: string | undefined): boolean {
  if (state === 'archived') return worseThan !== null && unresolved > worseThan
  if (state !== 'resolved') return false
  if (fixedIn === null || version === undefined) return true
  const order = compareVersions(version, fixedIn)
  return order === undefined || order >= 0
}
