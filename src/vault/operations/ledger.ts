import { RedriveError } from '../../core/errors.ts'
import type { LetterState } from '../../core/letter-states.ts'
import type { Destination, LedgerState } from '../replay-rows.ts'
import type { Operation, Sql } from '../sql.ts'
import { createTally, type Tally } from '../tally.ts'
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
 * which nobody knows, and no others.
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
    await sql.run("UPDATE replay_letters SET state = 'claimed', at = ? WHERE replay = ? AND seq = ?", now, replay, row.seq)
    claimed.push(await contentOf(sql, row, names[index] ?? ''))
  }
  await countMoved(sql, replay, 'planned', 'claimed', claimed.length)
  return claimed
}

async function contentOf(sql: Sql, { seq, letter, edit, destination }: ClaimRow, name: string): Promise<ClaimedLetter> {
  await sql.run('UPDATE letters SET letter = ? WHERE id = ? AND letter IS NULL', name, letter)
  const row = await sql.get<{ name: string; generation: number; dialect: string; key: string | null }>(
    'SELECT letter AS name, generation, dialect, key FROM letters WHERE id = ?',
    letter,
  )
  const copy = await sql.get<BrokersCopy>(
    `SELECT sources.connection, sources.channel, sources.part, letters.position FROM letters JOIN sources ON sources.id = letters.source
     WHERE letters.id = ? AND letters.broker = 'kept' AND letters.position IS NOT NULL`,
    letter,
  )
  const content = await sql.get<{ envelope: string; body: Uint8Array | null }>(
    edit === null ? 'SELECT envelope, body FROM contents WHERE letter = ?' : 'SELECT envelope, body FROM edits WHERE id = ?',
    edit ?? letter,
  )
  if (!row || !content) throw new RedriveError('not-found', `Letter ${letter} is not in the vault any more.`)
  return { seq, letter, ...row, destination: JSON.parse(destination) as Destination, ...content, copy: copy ?? null }
}

export interface SendOutcome {
  readonly seq: number
  readonly letter: number
  /** `refused`: it certainly was not written, so the letter is open again. `unknown`: a person has to look. */
  readonly outcome: 'sent' | 'refused' | 'unknown'
  readonly problem?: string
  /** The broker's own copy was taken away. */
  readonly removed?: boolean
}

export const recordSends: Operation<
  { readonly replay: number; readonly now: number; readonly outcomes: readonly SendOutcome[] },
  undefined
> = async (sql, { replay, now, outcomes }) => {
  const tally = createTally()
  const moved = new Map<SendOutcome['outcome'], number>()
  for (const { seq, letter, outcome, problem, removed } of outcomes) {
    if (removed) await sql.run("UPDATE letters SET broker = 'gone' WHERE id = ?", letter)
    const changed = await sql.run(recordSend, outcome, now, outcome === 'sent' ? now : null, problem ?? null, replay, seq)
    // It may have come back before we could note that it was sent.
    if (changed === 0) continue
    await changeState(sql, tally, [letter], 'replaying', stateAfter[outcome])
    moved.set(outcome, (moved.get(outcome) ?? 0) + 1)
  }
  for (const [outcome, lines] of moved) await countMoved(sql, replay, 'claimed', outcome, lines)
  await tally.write(sql)
  return undefined
}

const stateAfter = { sent: 'sent', refused: 'open', unknown: 'unknown' } as const

const recordSend = `
  UPDATE replay_letters SET state = ?, at = ?, sent_at = ?, problem = ? WHERE replay = ? AND seq = ? AND state = 'claimed'`

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
  await changeState(
    sql,
    tally,
    rows.map(({ letter }) => letter),
    'replaying',
    'unknown',
  )
  await tally.write(sql)
  await countMoved(sql, replay, 'claimed', 'unknown', rows.length)
  return { doubted: rows.length }
}

/** What a consumer reports about a letter that was replayed to it. A failure is no news: the letter itself comes back. */
export const recordSuccesses: Operation<
  { readonly now: number; readonly successes: readonly { readonly replay: number; readonly letter: string }[] },
  undefined
> = async (sql, { now, successes }) => {
  const tally = createTally()
  for (const { replay, letter } of successes) {
    const row = await sql.get<{ seq: number; id: number; state: LetterState; ledger: LedgerState }>(findByName, letter, replay)
    if (!row || row.ledger === 'claimed') continue
    await sql.run("UPDATE replay_letters SET state = 'succeeded', at = ? WHERE replay = ? AND seq = ?", now, replay, row.seq)
    await changeState(sql, tally, [row.id], row.state, 'succeeded')
    await countMoved(sql, replay, row.ledger, 'succeeded', 1)
  }
  await tally.write(sql)
  return undefined
}

const findByName = `
  SELECT ledger.seq, letters.id, letters.state, ledger.state AS ledger
  FROM letters JOIN replay_letters AS ledger ON ledger.letter = letters.id
  WHERE letters.letter = ? AND ledger.replay = ? AND ledger.state IN ('claimed', 'sent', 'unknown', 'assumed')
  ORDER BY letters.id DESC LIMIT 1`

/** Where letters went of which no outcome is known yet. */
export const awaitedDestinations: Operation<{ readonly replay: number }, readonly Destination[]> = async (sql, { replay }) => {
  const rows = await sql.all<{ destination: string }>(
    "SELECT DISTINCT destination FROM replay_letters WHERE replay = ? AND state = 'sent'",
    replay,
  )
  return rows.map(({ destination }) => JSON.parse(destination) as Destination)
}

export interface Assumption {
  readonly replay: number
  readonly destination: Destination
  readonly sentBefore: number
  readonly now: number
}

/** What was sent long enough ago and has not come back is taken to have succeeded, and is called so. */
export const assumeSuccess: Operation<Assumption, { readonly assumed: number }> = async (
  sql,
  { replay, destination, sentBefore, now },
) => {
  const rows = await sql.all<{ letter: number }>(
    `UPDATE replay_letters SET state = 'assumed', at = ?
     WHERE replay = ? AND state = 'sent' AND sent_at <= ? AND destination = ? RETURNING letter`,
    now,
    replay,
    sentBefore,
    JSON.stringify(destination),
  )
  const tally: Tally = createTally()
  await changeState(
    sql,
    tally,
    rows.map(({ letter }) => letter),
    'sent',
    'assumed',
  )
  await tally.write(sql)
  await countMoved(sql, replay, 'sent', 'assumed', rows.length)
  return { assumed: rows.length }
}
