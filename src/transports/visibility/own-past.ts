import type { Clock } from '../../core/ports.ts'

/**
 * What this process itself gave back, or lost before it could run. The server counts a retry, a release, a hold that ended and a crash alike; but
 * what was ours, and comes to us again with the next count at most, was in nobody's hands meanwhile, and has killed nobody since. (RocketMQ
 * does not always count.)
 */
export interface OwnPast {
  /** It left our hands after its `count`th delivery. */
  letGo(message: string, count: number, record: Standing): void
  /** It is in our hands after all. */
  forget(message: string): void
  /** How a message stands that nobody had meanwhile; `undefined` for every other. */
  recall(message: string, count: number): Standing | undefined
  /** A question for messages of this place was not answered: what the server gave by it for so many milliseconds is counted, and nobody has seen it. */
  missed(place: string, hold: number): void
  /** How many deliveries of one message there may lately have been such: no turn of anybody. */
  unseen(place: string): number
}

export interface Standing {
  /** That it has behind it. */
  readonly turns: number
  /** Before it came to us, it was in the hands of somebody of whom nothing was heard again. */
  readonly suspect: boolean
}

/** A hundred bytes for each. The oldest is forgotten first, and then comes back as a suspect that is innocent. */
const most = 10_000

/**
 * For so many holds it is remembered that a question was not answered. A message that fails in other processes may be tried so many times more meanwhile;
 * one that nobody has run must not be buried because answers were lost. Whoever is killed by one forgets all this.
 */
const rememberedFor = 10

/** `mayMiscount`: the server's count may stay behind, and what is not above the next one was in nobody's hands either. */
export function createOwnPast(clock: Pick<Clock, 'monotonic'>, limit: number = most, mayMiscount = false): OwnPast {
  /** By place, when each question that was not answered is forgotten. */
  const missed = new Map<string, readonly number[]>()
  const gone = new Map<string, Standing & { readonly count: number }>()
  function lately(place: string): readonly number[] {
    const now = clock.monotonic()
    return (missed.get(place) ?? []).filter((until) => until > now)
  }

  return {
    letGo(message, count, { turns, suspect }) {
      gone.delete(message)
      gone.set(message, { count, turns, suspect })
      if (gone.size <= limit) return
      const [oldest = ''] = gone.keys()
      gone.delete(oldest)
    },
    forget(message) {
      gone.delete(message)
    },
    recall(message, count) {
      const past = gone.get(message)
      gone.delete(message)
      if (past === undefined || count > past.count + 1) return undefined
      return mayMiscount || count === past.count + 1 ? past : undefined
    },
    missed(place, hold) {
      missed.set(place, [...lately(place), clock.monotonic() + rememberedFor * hold])
    },
    unseen: (place) => lately(place).length,
  }
}
