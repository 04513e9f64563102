import { RedriveError } from '../../core/errors.ts'
import { listOf, type Operation } from '../sql.ts'

export interface NewEdit {
  readonly letter: number
  readonly now: number
  readonly actor: string
  readonly envelope: string
  readonly body: Uint8Array | null
}

/** A changed copy beside the original, which stays as long as its letter. */
export const addEdit: Operation<NewEdit, { readonly id: number }> = async (sql, { letter, now, actor, envelope, body }) => {
  const open = await sql.get<object>("SELECT 1 FROM letters WHERE id = ? AND state = 'open'", letter)
  if (!open) throw new RedriveError('conflict', `Letter ${letter} is not open: only an open letter can be changed.`)
  const row = await sql.get<{ id: number }>(
    'INSERT INTO edits (letter, made_at, actor, envelope, body) VALUES (?, ?, ?, ?, ?) RETURNING id',
    letter,
    now,
    actor,
    envelope,
    body,
  )
  if (!row) throw new Error('The edit could not be written.')
  return row
}

export interface KnownEdit {
  readonly id: number
  readonly madeAt: number
  readonly actor: string
}

export const listEdits: Operation<{ readonly letter: number }, readonly KnownEdit[]> = async (sql, { letter }) =>
  sql.all<KnownEdit>('SELECT id, made_at AS "madeAt", actor FROM edits WHERE letter = ? ORDER BY id', letter)

export const readEdit: Operation<
  { readonly letter: number; readonly edit: number },
  { readonly envelope: string; readonly body: Uint8Array | null }
> = async (sql, { letter, edit }) => {
  const row = await sql.get<{ envelope: string; body: Uint8Array | null }>(
    'SELECT envelope, body FROM edits WHERE id = ? AND letter = ?',
    edit,
    letter,
  )
  if (!row) throw new RedriveError('not-found', `Letter ${letter} has no edit ${edit}.`)
  return row
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
