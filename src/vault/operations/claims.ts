import type { Destination } from '../replay-rows.ts'
import type { Operation, Sql } from '../sql.ts'
import { createTally } from '../tally.ts'
import { countMoved } from './ledger-counts.ts'
import { changeState } from './letter-changes.ts'
import { findReplay } from './replay-states.ts'

/** What is to be sent, whole. */
export interface ClaimedLetter {
  readonly seq: number
  readonly letter: number
  /** What all generations of it have in common; drawn when it is first replayed, where nobody wrote one. */
  readonly name: string
  readonly generation: number
  readonly dialect: string
  readonly destination: Destination
  readonly key: string | null
  readonly envelope: string
  readonly body: Uint8Array | null
  /** Where the broker still has its own copy, which has to go before another one is sent. */
  readonly copy: BrokersCopy | null
}

export interface BrokersCopy {
  readonly connection: string
  readonly channel: string
  readonly part: string
  readonly position: string
}

export interface Claiming {
  readonly replay: number
  readonly most: number
  readonly now: number
  /** Names for letters that have none, as many as may be claimed. */
  readonly names: readonly string[]
}

interface ClaimRow {
  readonly seq: number
  readonly letter: number
  readonly edit: number | null
  readonly destination: string
}

/**
 * Takes the next letters of a running replay to be sent. The claim is durable before anything is sent: after a crash those are the ones of
 * which nobody knows, and no others. A letter that is not this replay's any more, or was erased, is passed over and holds up nobody.
 */
export const claimLetters: Operation<Claiming, readonly ClaimedLetter[]> = async (sql, { replay, most, now, names }) => {
  const { state } = await findReplay(sql, replay)
  if (state !== 'running') return []
  const rows = await sql.all<ClaimRow>(
    "SELECT seq, letter, edit, destination FROM replay_letters WHERE replay = ? AND state = 'planned' ORDER BY seq LIMIT ?",
    replay,
    Math.min(most, names.length),
  )
  const claimed: ClaimedLetter[] = []
  for (const [index, row] of rows.entries()) {
    const content = await contentOf(sql, row, names[index] ?? '')
    await sql.run(content ? claim : passOver, now, replay, row.seq)
    if (content) claimed.push(content)
  }
  await countMoved(sql, replay, 'planned', 'claimed', claimed.length)
  await countMoved(sql, replay, 'planned', 'skipped', rows.length - claimed.length)
  return claimed
}

const claim = "UPDATE replay_letters SET state = 'claimed', at = ? WHERE replay = ? AND seq = ?"
const passOver = "UPDATE replay_letters SET state = 'skipped', problem = 'gone', at = ? WHERE replay = ? AND seq = ?"

async function contentOf(sql: Sql, row: ClaimRow, name: string): Promise<ClaimedLetter | undefined> {
  const { seq, letter, edit, destination } = row
  await sql.run('UPDATE letters SET letter = ? WHERE id = ? AND letter IS NULL', name, letter)
  const found = await sql.get<{ name: string; generation: number; dialect: string; key: string | null }>(
    "SELECT letter AS name, generation, dialect, key FROM letters WHERE id = ? AND state = 'replaying'",
    letter,
  )
  const content = await sql.get<{ envelope: string; body: Uint8Array | null }>(
    edit === null ? 'SELECT envelope, body FROM contents WHERE letter = ?' : 'SELECT envelope, body FROM edits WHERE id = ?',
    edit ?? letter,
  )
  if (!found || !content) return undefined
  const copy = await sql.get<BrokersCopy>(findCopy, letter)
  return { seq, letter, ...found, destination: JSON.parse(destination) as Destination, ...content, copy: copy ?? null }
}

const findCopy = `
  SELECT sources.connection, sources.channel, sources.part, letters.position
  FROM letters JOIN sources ON sources.id = letters.source
  WHERE letters.id = ? AND letters.broker = 'kept' AND letters.position IS NOT NULL`

/** A control plane that died had claimed these. Nobody knows whether they were sent, and nobody sends them again unasked. */
export const doubtClaims: Operation<{ readonly replay: number; readonly now: number }, { readonly doubted: number }> = async (
  sql,
  { replay, now },
) => {
  const rows = await sql.all<{ letter: number }>(
    `UPDATE replay_letters SET state = 'unknown', at = ?, problem = 'interrupted' WHERE replay = ? AND state = 'claimed'
     RETURNING letter`,
    now,
    replay,
  )
  const tally = createTally()
  const letters = rows.map(({ letter }) => letter)
  await changeState(sql, tally, letters, { from: 'replaying', to: 'unknown', now })
  await tally.write(sql)
  await countMoved(sql, replay, 'claimed', 'unknown', rows.length)
  return { doubted: rows.length }
}

/** Replays that run, and those that were told to stop while letters of theirs were on their way: somebody has to see what becomes of them. */
export const unfinishedReplays: Operation<undefined, readonly number[]> = async (sql) => {
  const rows = await sql.all<{ id: number }>(
    `SELECT id FROM replays WHERE state = 'running'
       OR id IN (SELECT replay FROM replay_counts WHERE state IN ('claimed', 'sent') AND letters > 0) ORDER BY id`,
  )
  return rows.map(({ id }) => id)
}
