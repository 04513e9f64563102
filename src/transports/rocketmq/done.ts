import type { Held } from './delivery.ts'

/**
 * What this process has completed on topics in order. The broker takes a queue's messages back together: when one comes again, those behind it
 * that were acknowledged before come again with it. They are acknowledged once more, and nobody runs them twice.
 */
export interface Done {
  add(held: Pick<Held, 'place' | 'id'>): void
  has(held: Pick<Held, 'place' | 'id'>): boolean
}

/** A hundred bytes for each. The oldest is forgotten first, and then runs again if it comes again. */
const most = 10_000

export function createDone(limit: number = most): Done {
  const names = new Set<string>()
  const nameOf = ({ place, id }: Pick<Held, 'place' | 'id'>): string => `${id} ${place}`
  return {
    add(held) {
      names.add(nameOf(held))
      const [oldest = ''] = names
      if (names.size > limit) names.delete(oldest)
    },
    has: (held) => names.has(nameOf(held)),
  }
}
