import { createHash } from 'node:crypto'
import { sanitise } from '../core/sanitise.ts'

/** The correlation ids of the letters that came last, as an alert may show them. */
export interface CorrelationIds {
  add(id: string | undefined): void
  /** Oldest first. */
  list(): readonly string[]
  clear(): void
}

/** Enough to find the way into the logs. */
const most = 5

export function createCorrelationIds(): CorrelationIds {
  const ids = new Set<string>()
  return {
    add(id) {
      if (id === undefined) return
      ids.add(shown(id))
      for (const oldest of ids) if (ids.size > most) ids.delete(oldest)
    },
    list: () => [...ids],
    clear: () => ids.clear(),
  }
}

/** Letters and digits as in a UUID, a ULID or an order number. Names of people have no digits, addresses have an "@". */
const idLike = /^(?=.*\d)[A-Za-z0-9._:-]{1,128}$/
const nothing = { body: null, headers: [] }

/** Producers choose correlation ids and may put anything there; what does not look like an id is shown as its hash. */
function shown(id: string): string {
  if (idLike.test(id) && sanitise(id, 'Error', nothing) === id) return id
  return `sha256:${createHash('sha256').update(id).digest('hex').slice(0, 16)}`
}
