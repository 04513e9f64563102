import type { LedgerState } from '../../core/canary.ts'
import type { CountedState } from '../letter-states.ts'
import { type Destination, type Replay, type ReplayRow, type ReplayState, replayOf, replayStates } from '../replay-rows.ts'
import { listOf, type Operation, type Sql } from '../sql.ts'
import { isWithinReach, type Maker } from './replay-reach.ts'
import { findReplay } from './replay-state.ts'

export const showReplay: Operation<{ readonly replay: number }, Replay> = async (sql, { replay }) =>
  replayOf(await findReplay(sql, replay))

export interface ReplayQuery {
  readonly states?: readonly ReplayState[]
  readonly actor?: string
  readonly limit: number
  readonly before?: number
}

export const listReplays: Operation<ReplayQuery, readonly Replay[]> = async (sql, { states, actor, limit, before }) => {
  const { places, values } = listOf(states ?? replayStates)
  const rows = await sql.all<ReplayRow>(
    `SELECT * FROM replays WHERE id < ? AND state IN ${places} AND (CAST(? AS TEXT) IS NULL OR actor = ?) ORDER BY id DESC LIMIT ?`,
    before ?? Number.MAX_SAFE_INTEGER,
    ...values,
    actor ?? null,
    actor ?? null,
    limit,
  )
  return rows.map(replayOf)
}

/** Those of a maker that are still within their reach; of one `replay` alone, that or nothing. A page is as long as anybody's. */
export const replaysWithin: Operation<
  { readonly maker: Maker; readonly limit: number; readonly before?: number; readonly replay?: number },
  readonly Replay[]
> = async (sql, { maker, replay, ...query }) => {
  if (replay !== undefined) return withinReach(sql, [await showReplay(sql, { replay })], maker)
  const { limit } = query
  const found: Replay[] = []
  for (let before = query.before; found.length < limit; ) {
    const made = await listReplays(sql, { actor: maker.actor, limit, ...(before !== undefined && { before }) })
    found.push(...(await withinReach(sql, made, maker)))
    before = made.at(-1)?.id
    if (made.length < limit) break
  }
  return found.slice(0, limit)
}

async function withinReach(sql: Sql, replays: readonly Replay[], maker: Maker): Promise<readonly Replay[]> {
  const found: Replay[] = []
  for (const replay of replays) {
    if (replay.actor === maker.actor && (await isWithinReach(sql, replay.id, maker))) found.push(replay)
  }
  return found
}

export interface LedgerLine {
  readonly seq: number
  readonly letter: number
  readonly state: LedgerState
  readonly destination: Destination
  readonly at: number
  readonly sentAt: number | null
  readonly problem: string | null
  /** The ledger outlives its letters. */
  readonly letterState: CountedState
}

const ledgerColumns = `ledger.seq, ledger.letter, ledger.state, ledger.destination, ledger.at, ledger.sent_at AS "sentAt",
  ledger.problem, coalesce(letters.state, 'purged') AS "letterState"`

type LedgerRow = Omit<LedgerLine, 'destination'> & { readonly destination: string }

function lineOf<Row extends LedgerRow>(row: Row): Omit<Row, 'destination'> & { readonly destination: Destination } {
  return { ...row, destination: JSON.parse(row.destination) as Destination }
}

/** What became of each letter, in the order of the plan. */
export const readLedger: Operation<
  { readonly replay: number; readonly state?: LedgerState; readonly after: number; readonly limit: number },
  readonly LedgerLine[]
> = async (sql, { replay, state, after, limit }) => {
  const rows = await sql.all<LedgerRow>(
    `SELECT ${ledgerColumns} FROM replay_letters AS ledger LEFT JOIN letters ON letters.id = ledger.letter
     WHERE ledger.replay = ? AND (CAST(? AS TEXT) IS NULL OR ledger.state = ?) AND ledger.seq > ? ORDER BY ledger.seq LIMIT ?`,
    replay,
    state ?? null,
    state ?? null,
    after,
    limit,
  )
  return rows.map(lineOf)
}

/** In which replays a letter was, the first one first. */
export const replaysOfLetter: Operation<
  { readonly letter: number },
  readonly (LedgerLine & { readonly replay: number })[]
> = async (sql, { letter }) => {
  const rows = await sql.all<LedgerRow & { readonly replay: number }>(
    `SELECT ledger.replay, ${ledgerColumns} FROM replay_letters AS ledger LEFT JOIN letters ON letters.id = ledger.letter
       WHERE ledger.letter = ? ORDER BY ledger.replay`,
    letter,
  )
  return rows.map(lineOf)
}
