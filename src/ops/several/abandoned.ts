import type { Clock } from '../../core/ports.ts'
import type { StepsUnderWay } from '../../vault/operations/claims.ts'

/** Tells what somebody is still at from what nobody does any more. */
export interface Abandoned {
  /** Of what is done in steps, that which has gone on lately, or was not seen before. */
  among(underWay: readonly StepsUnderWay[]): ReadonlySet<number>
}

/** A step of a thousand letters takes a moment, and on a busy machine with a busy server some seconds. Milliseconds. */
const patience = 30_000

/** Judged by what was seen here, on our own clock: those of other processes may say anything. */
export function createAbandoned(clock: Clock): Abandoned {
  let seen = new Map<number, { readonly progress: number; readonly since: number }>()
  return {
    among(underWay) {
      const now = clock.monotonic()
      seen = new Map(
        underWay.map(({ replay, progress }) => {
          const before = seen.get(replay)
          return [replay, before?.progress === progress ? before : { progress, since: now }]
        }),
      )
      return new Set([...seen].filter(([, { since }]) => now - since < patience).map(([replay]) => replay))
    },
  }
}
