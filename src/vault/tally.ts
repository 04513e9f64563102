import { type CountedState, unresolvedStates } from './letter-states.ts'
import type { Sql } from './sql.ts'

/** A letter as far as counts are concerned. */
export interface Counted {
  readonly source: number
  readonly cause: number
}

/** Counts what one transaction changes and writes it in the end, so that a thousand letters of one cause are one update. */
export interface Tally {
  /** A letter comes into being (`from` is absent), changes its state, or goes for good (`to` is absent). */
  moved(letter: Counted, from: CountedState | undefined, to: CountedState | undefined): void
  write(sql: Sql): Promise<void>
}

export function createTally(): Tally {
  const byState = new Map<string, { readonly source: number; readonly state: CountedState; change: number }>()
  const byCause = new Map<number, number>()

  function change(source: number, state: CountedState, by: number): void {
    const key = `${source} ${state}`
    const entry = byState.get(key) ?? { source, state, change: 0 }
    entry.change += by
    byState.set(key, entry)
  }

  return {
    moved({ source, cause }, from, to) {
      if (from !== undefined) change(source, from, -1)
      if (to !== undefined) change(source, to, 1)
      const unresolved = Number(isUnresolved(to)) - Number(isUnresolved(from))
      if (unresolved !== 0) byCause.set(cause, (byCause.get(cause) ?? 0) + unresolved)
    },
    async write(sql) {
      for (const { source, state, change: by } of byState.values()) {
        if (by !== 0) await sql.run(addToTally, source, state, by)
      }
      for (const [cause, by] of byCause) {
        if (by !== 0) await sql.run('UPDATE causes SET unresolved = unresolved + ? WHERE id = ?', by, cause)
      }
    },
  }
}

const addToTally = `
  INSERT INTO tallies (source, state, letters) VALUES (?, ?, ?)
  ON CONFLICT (source, state) DO UPDATE SET letters = tallies.letters + excluded.letters`

function isUnresolved(state: CountedState | undefined): boolean {
  return state !== undefined && (unresolvedStates as ReadonlySet<CountedState>).has(state)
}
