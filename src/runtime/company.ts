import type { Cancel, Clock } from '../core/ports.ts'
import type { ChannelStats } from './stats.ts'

/**
 * Rare failures wait a moment for each other. Among messages that take ten microseconds, one that failed costs several times what it
 * costs among others of its kind: the processor has forgotten how that is done, and its letter has a request to itself.
 *
 * Only as long as other messages are completed meanwhile: where failures are many they share all that anyway, and where nothing else
 * happens nobody would come.
 */
export interface Company {
  /** Resolves when it is time to go on; `undefined` where that is now. */
  join(): Promise<void> | undefined
}

/** As many messages are completed for each failure that waits, or it does not. */
const completedForEach = 30
/** Milliseconds: after each of these it is looked whether anything else was completed; and how long the first one waits at most. */
const lookAgainAfter = 5
const longestWait = 20

export function createCompany(clock: Clock, stats: Pick<ChannelStats, 'completed'>): Company {
  let gathering: PromiseWithResolvers<void> | undefined
  let stopLooking: Cancel | undefined
  let gathered = 0
  /** How many were completed when failures were last seen to. */
  let before = 0

  function areRare(): boolean {
    return stats.completed - before >= completedForEach * (gathered + 1)
  }

  function gather(): Promise<void> {
    gathering = Promise.withResolvers()
    lookAgain(clock.monotonic() + longestWait)
    return gathering.promise
  }

  function lookAgain(until: number): void {
    const { completed } = stats
    stopLooking = clock.after(lookAgainAfter, () => {
      if (stats.completed === completed || clock.monotonic() >= until) goOn()
      else lookAgain(until)
    })
  }

  function goOn(): void {
    before = stats.completed
    gathered = 0
    stopLooking?.()
    gathering?.resolve()
    gathering = undefined
  }

  return {
    join() {
      if (areRare()) {
        gathered++
        return gathering?.promise ?? gather()
      }
      // Whoever waits for company has it.
      goOn()
      return undefined
    },
  }
}
