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

/** Nobody has settled them for longer than they may be kept. One that somebody has had in hand `since` then is not among them. */
export const expireLetters: Operation<LettersOnly & { readonly since: number }, HowMany> = async (
  sql,
  { letters, since, now },
) => {
  const { places, values } = listOf(letters)
  const overdue = await sql.all<{ id: number }>(
    `SELECT id FROM letters WHERE id IN ${places} AND state = 'open' AND state_since < ?`,
    ...values,
    since,
  )
  return changing('open', 'expired')(sql, { letters: overdue.map(({ id }) => id), now })
}

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
  readonly since: number
  readonly identity: Uint8Array
}

/** What is on its way is nobody's to take away. */
const busy: ReadonlySet<LetterState> = new Set(['replaying', 'sent'])

/** What retention may take. Whoever looks for such letters does so before: one may have been restored, or have come back, meanwhile. */
export const settledStates: readonly LetterState[] = ['succeeded', 'assumed', 'returned', 'discarded', 'expired']

export interface Purge extends Omit<LettersOnly, 'now'> {
  readonly rememberUntil: number
  /** Their words go from the pages of the full-text index too, once `shredWords` is done; else when these are written anew. */
  readonly shred?: boolean
  /** Only those that are settled, and have been since before then; else all that are not on their way. */
  readonly settledBefore?: number
}

const atOnce = 512

/**
 * Removes letters with everything they hold. Their identities stay until `rememberUntil`, so that a copy which the broker still has is not
 * taken for a new letter.
 */
export const purgeLetters: Operation<Purge, HowMany> = async (sql, { letters, shred: isShredded = false, ...purge }) => {
  const tally = createTally()
  let purged = 0
  for (let start = 0; start < letters.length; start += atOnce) {
    const going = (await endingOf(sql, letters.slice(start, start + atOnce))).filter((letter) => mayGo(letter, purge))
    if (going.length === 0) continue
    await sql.runEach(
      bury,
      going.map(({ source, identity }) => [source, identity, purge.rememberUntil]),
    )
    await remove(
      sql,
      going.map(({ id }) => id),
    )
    for (const letter of going) tally.moved(letter, letter.state, 'purged')
    purged += going.length
  }
  if (isShredded && purged > 0) await noteWordsToShred(sql)
  await tally.write(sql)
  return { letters: purged }
}

async function endingOf(sql: Sql, letters: readonly number[]): Promise<readonly Ending[]> {
  const { places, values } = listOf(letters)
  return sql.all<Ending>(
    `SELECT id, source, cause, state, state_since AS since, identity FROM letters WHERE id IN ${places} ORDER BY id`,
    ...values,
  )
}

function mayGo({ state, since }: Ending, { settledBefore }: Pick<Purge, 'settledBefore'>): boolean {
  return settledBefore === undefined ? !busy.has(state) : settledStates.includes(state) && since < settledBefore
}

async function remove(sql: Sql, letters: readonly number[]): Promise<void> {
  await shred(sql, letters)
  const { places, values } = listOf(letters)
  await sql.run(`DELETE FROM letters WHERE id IN ${places}`, ...values)
}

const bury = `
  INSERT INTO tombstones (source, identity, until) VALUES (?, ?, ?)
  ON CONFLICT (source, identity) DO UPDATE SET until = excluded.until`

/**
 * What a letter held is gone, with those before it that were replayed and came back as this one, and with it what could be found by searching; that
 * there was one stays known. Its words stand in the pages of the full-text index until `shredWords` is done.
 */
export const eraseLetter: Operation<{ readonly id: number; readonly now: number }, undefined> = async (sql, { id, now }) => {
  const row = await sql.get<Erased & { letter: string | null }>('SELECT id, state, letter FROM letters WHERE id = ?', id)
  if (!row) throw new RedriveError('not-found', `There is no letter ${id}.`)
  if (busy.has(row.state)) throw new RedriveError('conflict', `Letter ${id} is on its way: pause or cancel its replay first.`)
  const erased = [row, ...(row.letter === null ? [] : await returnedBefore(sql, id, row.letter))]
  const tally = createTally()
  for (const { id: each, state } of erased) {
    await forgetContents(sql, each)
    await changeState(sql, tally, [each], { from: state, to: state === 'open' ? 'discarded' : state, now })
  }
  await noteWordsToShred(sql)
  await tally.write(sql)
  return undefined
}

interface Erased {
  readonly id: number
  readonly state: LetterState
}

async function returnedBefore(sql: Sql, id: number, letter: string): Promise<readonly Erased[]> {
  const named = sql.dialect.isText('letter', letter)
  const before = `SELECT id, state FROM letters WHERE ${named.text} AND state = 'returned' AND id < ?`
  return sql.all<Erased>(before, ...named.values, id)
}

async function forgetContents(sql: Sql, id: number): Promise<void> {
  await shred(sql, [id])
  // Where a failure had nothing but a reason, that is its error message, too.
  const reason = 'CASE WHEN reason = error_message THEN NULL ELSE reason END'
  await sql.run(
    `UPDATE letters SET key = NULL, message_id = NULL, reason = ${reason}, error_message = NULL, bytes = 0 WHERE id = ?`,
    id,
  )
}

async function shred(sql: Sql, letters: readonly number[]): Promise<void> {
  const { places, values } = listOf(letters)
  for (const held of ['contents WHERE letter', 'letter_keys WHERE letter', 'letter_text WHERE rowid', 'body_text WHERE rowid']) {
    await sql.run(`DELETE FROM ${held} IN ${places}`, ...values)
  }
  await sql.run(`DELETE FROM edits WHERE letter IN ${places}`, ...values)
  await sql.run(`DELETE FROM notes WHERE about = 'letter' AND subject IN ${places}`, ...values)
}

export interface Ended {
  readonly states: readonly LetterState[]
  readonly sources: readonly number[]
  /** Only those that have been in their state since before then, and not since before `from`. */
  readonly before: number
  readonly from: number
  readonly limit: number
}

export interface EndedLetter {
  readonly id: number
  readonly since: number
}

/**
 * Letters that retention may come for, those that have been in their state for longest first, a few at a time. The index has the letters of one source
 * in one state in the order of time, and all others in none: each is asked for by itself, and only for what is older than a whole page of others.
 */
export const longestEnded: Operation<Ended, readonly EndedLetter[]> = async (sql, { states, sources, before, from, limit }) => {
  const text = `SELECT id, state_since AS since FROM letters
    WHERE source = ? AND state = ? AND state_since >= ? AND state_since < ? ORDER BY state_since LIMIT ?`
  let found: readonly EndedLetter[] = []
  let bound = before
  for (const source of sources) {
    for (const state of states) {
      const more = await sql.all<EndedLetter>(text, source, state, from, bound, limit)
      found = [...found, ...more].toSorted((one, other) => one.since - other.since).slice(0, limit)
      if (found.length === limit) bound = found.at(-1)?.since ?? bound
    }
  }
  return found
}
