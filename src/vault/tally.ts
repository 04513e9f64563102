import { type CountedState, unresolvedStates } from './letter-states.ts'
import type { Writer } from './sql.ts'

/** A letter as far as counts are concerned. */
export interface Counted {
  readonly source: number
  readonly cause: number
}

/** Counts what one transaction changes and writes it in the end, so that a thousand letters of one cause are one update. */
export interface Tally {
  /** A letter is new. Its cause counts it itself. */
  came(source: number, state: CountedState): void
  moved(letter: Counted, from: CountedState, to: CountedState): void
  write(sql: Writer): Promise<void>
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
    came: (source, state) => change(source, state, 1),
    moved({ source, cause }, from, to) {
      change(source, from, -1)
      change(source, to, 1)
      const unresolved = Number(isUnresolved(to)) - Number(isUnresolved(from))
      if (unresolved !== 0) byCause.set(cause, (byCause.get(cause) ?? 0) + unresolved)
    },
    async write(sql) {
      const changed = [...byState.values()].filter(({ change: by }) => by !== 0)
      await sql.runEach(
        addToTally,
        changed.map(({ source, state, change: by }) => [source, state, by]),
      )
      for (const [cause, by] of byCause) {
        if (by !== 0) await sql.run('UPDATE causes SET unresolved = unresolved + ? WHERE id = ?', by, cause)
      }
    },
  }
}

const addToTally = `
  INSERT INTO tallies (source, state, letters) VALUES (?, ?, ?)
  ON CONFLICT (source, state) DO UPDATE SET letters = tallies.letters + excluded.letters`

function isUnresolved(state: CountedState): boolean {
  return (unresolvedStates as ReadonlySet<CountedState>).has(state)
}
