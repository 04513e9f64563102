import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { batched } from '../../platform/batched.ts'
import type { Connections, Query } from '../../platform/postgres/connections.ts'

/** Something to be done within a transaction, which it may commit where nobody else has a part in it. It rejects with a `RedriveError` where it is refused, and with anything else where the server fails. */
export type Work = (query: Query, commit?: Commit) => Promise<unknown>

/** Asks the last questions of a transaction, and commits behind them before they are answered. It rejects where that must not be, and asks nothing then. */
export type Commit = (askLast: () => void) => Promise<void>

export function committing(commit: () => void): Commit {
  return async (askLast) => {
    askLast()
    commit()
  }
}

export interface Rounds {
  /** Resolves when what it did is durable. */
  write(work: Work): Promise<unknown>
  /** Resolves when nothing is on its way any more. */
  idle(): Promise<void>
}

/** Everybody else who writes waits until a round is over. */
const most = { items: 64, bytes: Number.POSITIVE_INFINITY }

/**
 * What is asked for while a round is on its way shares the next one: one lock, one commit. Each stands in a savepoint of its own: one that is
 * refused takes back what it did and nothing else.
 */
export function createRounds({ within }: Connections, clock: Clock, begin: () => string): Rounds {
  const run = (round: readonly Work[]): Promise<readonly unknown[]> =>
    within((_, query, commit) => together(query, committing(commit), round), begin())
  const { call, idle } = batched<Work, unknown>({ clock, most, atOnce: 1, run })
  return { write: call, idle }
}

async function together(query: Query, commit: Commit, round: readonly Work[]): Promise<readonly unknown[]> {
  const [only] = round
  if (only && round.length === 1) return [await only(query, commit)]
  const outcomes: unknown[] = []
  for (const work of round) outcomes.push(await inSavepoint(query, work))
  return outcomes
}

/** Nobody waits until a savepoint is there or gone: where that fails, so does everything after it. */
async function inSavepoint(query: Query, work: Work): Promise<unknown> {
  tell(query, 'SAVEPOINT operation')
  try {
    const value = await work(query)
    tell(query, 'RELEASE SAVEPOINT operation')
    return value
  } catch (error) {
    if (!(error instanceof RedriveError)) throw error
    tell(query, 'ROLLBACK TO SAVEPOINT operation; RELEASE SAVEPOINT operation')
    return error
  }
}

function tell(query: Query, statement: string): void {
  void query(statement).catch(() => {})
}
