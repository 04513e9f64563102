import { RedriveError } from '../../core/errors.ts'
import type { LetterState } from '../../core/letter-states.ts'
import { type Content, joinKeys, type KeptContent, keepEdit, keptColumns, openContent } from '../sealing/contents.ts'
import { listOf, type Operation, type Sql } from '../sql.ts'
import { type AsSeen, refuseUnseen, standingOfLetter } from '../standing.ts'

export interface NewEdit extends Content, AsSeen {
  readonly letter: number
  readonly now: number
  readonly actor: string
}

/** A changed copy beside the original, which stays as long as its letter. */
export const addEdit: Operation<NewEdit, { readonly id: number }> = async (sql, { letter, now, actor, seen, envelope, body }) => {
  const found = await sql.get<{ state: LetterState; newest: number | null }>(
    'SELECT state, (SELECT max(id) FROM edits WHERE letter = letters.id) AS newest FROM letters WHERE id = ?',
    letter,
  )
  if (found) refuseUnseen(seen, standingOfLetter(found, found.newest ?? undefined))
  if (found?.state !== 'open')
    throw new RedriveError('conflict', `Letter ${letter} is not open: only an open letter can be changed.`)
  const row = await sql.get<{ id: number }>(
    "INSERT INTO edits (letter, made_at, actor, envelope) VALUES (?, ?, ?, '') RETURNING id",
    letter,
    now,
    actor,
  )
  if (!row) throw new Error('The edit could not be written.')
  await keepEdit(sql, now, { letter, edit: row.id }, { envelope, body })
  return row
}

export interface KnownEdit {
  readonly id: number
  readonly madeAt: number
  readonly actor: string
}

export const listEdits: Operation<{ readonly letter: number }, readonly KnownEdit[]> = async (sql, { letter }) =>
  sql.all<KnownEdit>('SELECT id, made_at AS "madeAt", actor FROM edits WHERE letter = ? ORDER BY id', letter)

export const readEdit: Operation<{ readonly letter: number; readonly edit: number }, Content> = async (sql, { letter, edit }) => {
  const content = await editOf(sql, letter, edit)
  if (!content) throw new RedriveError('not-found', `Letter ${letter} has no edit ${edit}.`)
  return content
}

export async function editOf(sql: Sql, letter: number, edit: number): Promise<Content | undefined> {
  const text = `SELECT ${keptColumns('edits')} FROM edits ${joinKeys('edits.letter')} WHERE edits.id = ? AND edits.letter = ?`
  const kept = await sql.get<KeptContent>(text, edit, letter)
  return kept && openContent(sql, { letter, edit }, kept)
}

/** Of those letters that have been changed, the newest change. */
export const newestEdits: Operation<
  { readonly letters: readonly number[] },
  readonly { readonly letter: number; readonly edit: number }[]
> = async (sql, { letters }) => {
  const found: { letter: number; edit: number }[] = []
  for (let start = 0; start < letters.length; start += chunk) {
    const { places, values } = listOf(letters.slice(start, start + chunk))
    const text = `SELECT letter, max(id) AS edit FROM edits WHERE letter IN ${places} GROUP BY letter`
    found.push(...(await sql.all<{ letter: number; edit: number }>(text, ...values)))
  }
  return found
}

const chunk = 512
