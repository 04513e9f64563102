import type { Consumer } from '../runtime/consumer.ts'
import { type ConsumerEvents, type EventName, eventNames } from '../runtime/events.ts'

/** Remembers what consumers told, until somebody asks. */
export interface Witness {
  watch(consumer: Consumer): void
  has<N extends EventName>(name: N, where: (event: ConsumerEvents[N]) => boolean): boolean
  /** The first that was not given yet, and from then on was. */
  next<N extends EventName>(name: N, where: (event: ConsumerEvents[N]) => boolean): ConsumerEvents[N] | undefined
  /** Everything that happened, in a line. */
  story(): string
}

interface Seen {
  readonly name: EventName
  readonly event: ConsumerEvents[EventName]
  given: boolean
}

/** A story that is longer tells its end. */
const longestStory = 20

export function createWitness(): Witness {
  const all: Seen[] = []

  function find<N extends EventName>(name: N, where: (event: ConsumerEvents[N]) => boolean): Seen | undefined {
    return all.find((seen) => seen.name === name && !seen.given && where(seen.event as ConsumerEvents[N]))
  }

  return {
    watch(consumer) {
      for (const name of eventNames) consumer.on(name, (event) => void all.push({ name, event, given: false }))
    },
    has: (name, where) => find(name, where) !== undefined,
    next<N extends EventName>(name: N, where: (event: ConsumerEvents[N]) => boolean) {
      const seen = find(name, where)
      if (seen) seen.given = true
      return seen?.event as ConsumerEvents[N] | undefined
    },
    story: () =>
      all
        .slice(-longestStory)
        .map(({ name }) => name)
        .join(', ') || 'nothing',
  }
}
