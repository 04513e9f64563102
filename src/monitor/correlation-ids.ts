import { mostCorrelationIds, shownCorrelationId } from '../core/alerts/correlation-id.ts'

/** The correlation ids of the letters that came last, as an alert may show them. */
export interface CorrelationIds {
  add(id: string | undefined): void
  /** Oldest first. */
  list(): readonly string[]
  clear(): void
}

export function createCorrelationIds(): CorrelationIds {
  const ids = new Set<string>()
  return {
    add(id) {
      if (id === undefined) return
      ids.add(shownCorrelationId(id))
      for (const oldest of ids) if (ids.size > mostCorrelationIds) ids.delete(oldest)
    },
    list: () => [...ids],
    clear: () => ids.clear(),
  }
}
