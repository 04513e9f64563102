import type { Clock } from '../../core/ports.ts'

/**
 * How far claims have come in each channel. Until it is cleaned up, what was taken leaves its traces in the index, and whoever begins at the
 * beginning passes all of them: a claim that goes on behind the last one does not.
 *
 * What stands before it all the same (its sender committed late, or it was given back) is found by a look from the beginning, which every claim
 * makes that would bring nothing, and one every now and then.
 */
export interface Frontiers {
  /** Behind which message a claim begins; 0 is the beginning. */
  of(channel: number): number
  /** A claim has brought these. */
  reached(channel: number, ids: readonly number[]): void
  /** Something stands before it, or may. */
  forget(channel: number): void
}

/** How long something may stand before the frontier unseen. Milliseconds. */
const longest = 200

export function createFrontiers(clock: Pick<Clock, 'monotonic'>): Frontiers {
  const frontiers = new Map<number, { readonly since: number; id: number }>()
  return {
    of(channel) {
      const frontier = frontiers.get(channel)
      if (frontier && clock.monotonic() - frontier.since < longest) return frontier.id
      frontiers.set(channel, { since: clock.monotonic(), id: 0 })
      return 0
    },
    reached(channel, ids) {
      const frontier = frontiers.get(channel)
      if (frontier) frontier.id = Math.max(frontier.id, ids.at(-1) ?? 0)
    },
    forget: (channel) => void frontiers.delete(channel),
  }
}
