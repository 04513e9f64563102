import { RedriveError } from '../../core/errors.ts'
import type { LetterState } from '../../core/letter-states.ts'
import { listOf, type Operation, type Sql } from '../sql.ts'
import { createTally } from '../tally.ts'
import { noteWordsToShred } from './body-index.ts'
import { changeState } from './letter-changes.ts'

export interface LettersOnly {
  readonly letters: readonly number[]
  readonly now: number
}

export interface HowMany {
  readonly letters: number
}

function changing(from: LetterState, to: LetterState): Operation<LettersOnly, HowMany> {
  return async (sql, { letters, now }) => {
    const tally = createTally()
    const changed = await changeState(sql, tally, letters, { from, to, now })
    await tally.write(sql)
    return { letters: changed.length }
  }
}

/** Out of sight, and reversible until retention takes them. */
export const discardLetters: Operation<LettersOnly, HowMany> = changing('open', 'discarded')
export const restoreLetters: Operation<LettersOnly, HowMany> = changing('discarded', 'open')

/** Nobody has settled them for longer than they may be kept. */
export const expireLetters: Operation<LettersOnly, HowMany> = changing('open', 'expired')

/**
 * A person has looked: it certainly was not sent (and is open again), or is taken to have arrived. Whether the broker still has a copy of a
 * followed letter is as unknown as the rest: nobody waits for one any more.
 */
export const decideUnknown: Operation<LettersOnly & { readonly verdict: 'open' | 'assumed' }, HowMany> = async (
  sql,
  { letters, verdict, now },
) => {
  for (const letter of letters) {
    await sql.run("UPDATE letters SET broker = 'gone' WHERE id = ? AND state = 'unknown' AND broker = 'kept'", letter)
  }
  return changing('unknown', verdict)(sql, { letters, now })
}

interface Ending {
  readonly id: number
  readonly source: number
  readonly cause: number
  readonly state: LetterState
  readonly identity: Uint8Array
}

/** What is on its way is nobody's to take away. */
const busy: ReadonlySet<LetterState> = new Set(['replaying', 'sent'])

/**
 * Removes letters with everything they hold. Their identities stay until `rememberUntil`, so that a copy which the broker still has is not
 * taken for a new letter.
 */
export const purgeLetters: Operation<Purge, HowMany> = async (sql, { letters, rememberUntil, shred: isShredded = false }) => {
  const tally = createTally()
  let purged = 0
  for (const id of letters) {
    const row = await sql.get<Ending>('SELECT id, source, cause, state, identity FROM letters WHERE id = ?', id)
    if (!row || busy.has(row.state)) continue
    await sql.run(bury, row.source, row.identity, rememberUntil)
    await shred(sql, id)
    await sql.run('DELETE FROM letters WHERE id = ?', id)
    tally.moved(row, row.state, 'purged')
    purged++
  }
  if (isShredded && purged > 0) await noteWordsToShred(sql)
  await tally.write(sql)
  return { letters: purged }
}

export interface Purge extends Omit<LettersOnly, 'now'> {
  readonly rememberUntil: number
  /** Their words go from the pages of the full-text index too, once `shredWords` is done; else when these are written anew. */
  readonly shred?: boolean
}

const bury = `
  INSERT INTO tombstones (source, identity, until) VALUES (?, ?, ?)
  ON CONFLICT (source, identity) DO UPDATE SET until = excluded.until`

/**
 * What a letter held is gone, and with it what could be found by searching; that there was one stays known. Its words stand in the pages of the
 * full-text index until `shredWords` is done.
 */
export const eraseLetter: Operation<{ readonly id: number; readonly now: number }, undefined> = async (sql, { id, now }) => {
  const row = await sql.get<{ state: LetterState }>('SELECT state FROM letters WHERE id = ?', id)
  if (!row) throw new RedriveError('not-found', `There is no letter ${id}.`)
  if (busy.has(row.state)) throw new RedriveError('conflict', `Letter ${id} is on its way: pause or cancel its replay first.`)
  await shred(sql, id)
  await noteWordsToShred(sql)
  await sql.run('UPDATE letters SET key = NULL, message_id = NULL, error_message = NULL, bytes = 0 WHERE id = ?', id)
  const tally = createTally()
  await changeState(sql, tally, [id], { from: row.state, to: row.state === 'open' ? 'discarded' : row.state, now })
  await tally.write(sql)
  return undefined
}

async function shred(sql: Sql, id: number): Promise<void> {
  await sql.run('DELETE FROM contents WHERE letter = ?', id)
  await sql.run('DELETE FROM letter_keys WHERE letter = ?', id)
  await sql.run('DELETE FROM letter_text WHERE rowid = ?', id)
  await sql.run('DELETE FROM body_text WHERE rowid = ?', id)
  await sql.run('DELETE FROM edits WHERE letter = ?', id)
  await sql.run("DELETE FROM notes WHERE about = 'letter' AND subject = ?", id)
}

/** Tombstones whose broker has forgotten the letter too. */
export const forgetTombstones: Operation<{ readonly now: number }, HowMany> = async (sql, { now }) => ({
  letters: await sql.run('DELETE FROM tombstones WHERE until <= ?', now),
})

export interface Ended {
  readonly states: readonly LetterState[]
  readonly sources: readonly number[]
  /** Only those that have been in their state since before then. */
  readonly before?: number
  readonly limit: number
}

/** Letters that retention may come for, those that have been in their state for longest first, a few at a time. */
export const longestEnded: Operation<Ended, readonly number[]> = async (sql, { states, sources, before, limit }) => {
  if (sources.length === 0) return []
  const { places, values } = listOf(sources)
  // State by state, because the index has each of them in the order of time, and all of them together in none.
  const text = `SELECT id, state_since AS since FROM letters
    WHERE state = ? AND state_since < ? AND +source IN ${places} ORDER BY state_since LIMIT ?`
  const found: { readonly id: number; readonly since: number }[] = []
  for (const state of states) {
    found.push(
      ...(await sql.all<{ id: number; since: number }>(text, state, before ?? Number.MAX_SAFE_INTEGER, ...values, limit)),
    )
  }
  return found
    .toSorted((one, other) => one.since - other.since)
    .slice(0, limit)
    .map(({ id }) => id)
}
