import { type PageQuery, pagesOf } from '../copy/pages.ts'
import { keepWords, wordsOfLetter } from '../letter-words.ts'
import { insertKey, keyRow, type LetterContent, sealContents, sealEdit } from '../sealing/contents.ts'
import type { KeyRing, WrappedKey } from '../sealing/key-ring.ts'
import { refuseUnlessAllGiven, sealingRing } from '../sealing/known-keys.ts'
import { listOf, type Operation, type Sql } from '../sql.ts'
import { noteWordsToShred } from './body-index.ts'

/** In clear letters, then in their edits, then in the keys of letters that another key wraps; `scrub` is for what clear texts left behind. */
export type RekeyStage = 'letters' | 'edits' | 'keys' | 'scrub'

/** What is left to do. */
export interface ToRekey {
  readonly letters: number
  readonly edits: number
  readonly keys: number
}

/** Begins to give every letter the current key, or goes on with it: what was begun for another key starts anew. */
export const rekeyBegins: Operation<{ readonly now: number }, ToRekey> = async (sql, { now }) => {
  const ring = await ringOf(sql, now)
  await refuseUnlessAllGiven(sql)
  await sql.run(
    'UPDATE rekeying SET vault_key = ?, stage = ?, up_to = 0 WHERE vault_key <> ?',
    ring.current,
    'letters',
    ring.current,
  )
  await sql.run(
    "INSERT INTO rekeying (id, vault_key, stage, up_to, scrub) VALUES (1, ?, 'letters', 0, 0) ON CONFLICT (id) DO NOTHING",
    ring.current,
  )
  return leftFor(sql, ring)
}

export interface RekeyStep {
  readonly stage: RekeyStage
  readonly rows: number
}

/**
 * One page of one stage. Its rows and how far it came are one transaction: after a crash, the next one goes on behind the last row that was done. The
 * mark only saves looking again. That nothing is left is asked of the rows themselves, in the transaction that retires the other keys.
 */
export const rekeyStep: Operation<{ readonly now: number; readonly most?: number }, RekeyStep> = async (sql, { now, most }) => {
  const ring = await ringOf(sql, now)
  const { stage, up_to: from } = await reached(sql)
  if (stage === 'scrub') return { stage, rows: 0 }
  const { rows, upTo } = await pageOf[stage](sql, ring, from, most)
  if (rows > 0) await sql.run('UPDATE rekeying SET up_to = ? WHERE stage = ?', upTo, stage)
  else await advance(sql, ring, stage, now)
  return { stage, rows }
}

/** What was clear is gone from the pages of the database, too. */
export const rekeyEnds: Operation<undefined, undefined> = async (sql) => {
  await sql.run("DELETE FROM rekeying WHERE stage = 'scrub'")
  return undefined
}

/** Whether anything was sealed that had stood there in clear, in this run or in an earlier one. */
export const isToBeScrubbed: Operation<undefined, boolean> = async (sql) =>
  (await sql.get<object>("SELECT 1 FROM rekeying WHERE stage = 'scrub' AND scrub = 1")) !== undefined

async function ringOf(sql: Sql, now: number): Promise<KeyRing> {
  const ring = await sealingRing(sql, now)
  if (!ring) throw new Error('Letters are given another key by who has one.')
  return ring
}

async function reached(sql: Sql): Promise<{ readonly stage: RekeyStage; readonly up_to: number }> {
  const row = await sql.get<{ stage: RekeyStage; up_to: number }>('SELECT stage, up_to FROM rekeying')
  if (!row) throw new Error('Nobody has begun to give letters another key.')
  return row
}

interface Page {
  readonly rows: number
  readonly upTo: number
}

type Work = (sql: Sql, ring: KeyRing, from: number, most: number | undefined) => Promise<Page>

const pageOf: Readonly<Record<Exclude<RekeyStage, 'scrub'>, Work>> = { letters: sealLetters, edits: sealEdits, keys: rewrapKeys }
const following = { letters: 'edits', edits: 'keys' } as const

async function advance(sql: Sql, ring: KeyRing, stage: Exclude<RekeyStage, 'scrub'>, now: number): Promise<void> {
  if (stage !== 'keys') return enter(sql, following[stage])
  const { letters, edits, keys } = await leftFor(sql, ring)
  if (letters + edits + keys > 0) return enter(sql, 'letters')
  await sql.run('UPDATE vault_keys SET retired_at = ? WHERE key_id <> ? AND retired_at IS NULL', now, ring.current)
  await enter(sql, 'scrub')
}

async function enter(sql: Sql, stage: RekeyStage): Promise<void> {
  await sql.run('UPDATE rekeying SET stage = ?, up_to = 0', stage)
}

async function leftFor(sql: Sql, { current }: KeyRing): Promise<ToRekey> {
  const count = async (from: string, ...values: string[]): Promise<number> =>
    (await sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${from}`, ...values))?.n ?? 0
  return {
    letters: await count("contents WHERE envelope <> ''"),
    edits: await count("edits WHERE envelope <> ''"),
    keys: await count('letter_keys WHERE vault_key <> ?', current),
  }
}

interface ClearLetter extends LetterContent {
  readonly reason: string | null
  readonly error_type: string | null
  readonly error_message: string | null
}

const size = (table: string): string => `octet_length(${table}.envelope) + coalesce(octet_length(${table}.body), 0)`

const clearLetters: PageQuery = {
  from: 'contents LEFT JOIN letters ON letters.id = contents.letter',
  where: "contents.envelope <> ''",
  columns: [
    'contents.letter',
    'contents.envelope',
    'contents.body',
    'letters.reason',
    'letters.error_type',
    'letters.error_message',
  ],
  key: ['contents.letter'],
  size: size('contents'),
}

/** Its headers are no words any more: what it failed of still is. */
async function sealLetters(sql: Sql, _ring: KeyRing, from: number, most?: number): Promise<Page> {
  const page = await firstPage<ClearLetter>(sql, clearLetters, from, most)
  if (page.length === 0) return nothing
  await sealContents(sql, page)
  const { places, values } = listOf(page.map(({ letter }) => letter))
  await sql.run(`DELETE FROM letter_text WHERE rowid IN ${places}`, ...values)
  await keepWords(
    sql,
    page.map(({ letter, reason, error_type: type, error_message: message }) => ({
      letter,
      ...wordsOfLetter('', [reason, type, message]),
    })),
  )
  await noteClear(sql)
  return { rows: page.length, upTo: page.at(-1)?.letter ?? from }
}

interface ClearEdit extends LetterContent {
  readonly id: number
}

const clearEdits: PageQuery = {
  from: 'edits',
  where: "edits.envelope <> ''",
  columns: ['edits.id', 'edits.letter', 'edits.envelope', 'edits.body'],
  key: ['edits.id'],
  size: size('edits'),
}

async function sealEdits(sql: Sql, _ring: KeyRing, from: number, most?: number): Promise<Page> {
  const page = await firstPage<ClearEdit>(sql, clearEdits, from, most)
  if (page.length === 0) return nothing
  for (const { id: edit, letter, envelope, body } of page) await sealEdit(sql, { letter, edit }, { envelope, body })
  await noteClear(sql)
  return { rows: page.length, upTo: page.at(-1)?.id ?? from }
}

/** Keys alone: what they open stays as it is. */
async function rewrapKeys(sql: Sql, ring: KeyRing, from: number, most = keysAtOnce): Promise<Page> {
  const page = await sql.all<WrappedKey & { letter: number }>(otherKeys, from, ring.current, most)
  const rows = page.map(({ letter, ...kept }) => keyRow(letter, ring.rewrap(letter, kept)))
  if (rows.length === 0) return nothing
  const { places, values } = listOf(page.map(({ letter }) => letter))
  await sql.run(`DELETE FROM letter_keys WHERE letter IN ${places}`, ...values)
  await sql.runEach(insertKey, rows)
  return { rows: rows.length, upTo: page.at(-1)?.letter ?? from }
}

const keysAtOnce = 2000

const otherKeys = `
  SELECT letter, vault_key AS "vaultKey", wrapped FROM letter_keys WHERE letter > ? AND vault_key <> ? ORDER BY letter LIMIT ?`

const nothing: Page = { rows: 0, upTo: 0 }

async function noteClear(sql: Sql): Promise<void> {
  await sql.run('UPDATE rekeying SET scrub = 1')
  await noteWordsToShred(sql)
}

async function firstPage<Found extends object>(
  sql: Sql,
  query: PageQuery,
  from: number,
  most?: number,
): Promise<readonly Found[]> {
  for await (const page of pagesOf(sql, query, [from], most)) return page as unknown as readonly Found[]
  return []
}
