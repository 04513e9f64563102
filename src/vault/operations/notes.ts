import type { Operation } from '../sql.ts'

export interface Note {
  readonly madeAt: number
  readonly actor: string
  readonly text: string
}

export interface NoteSubject {
  readonly about: 'letter' | 'cause'
  readonly subject: number
}

/** Notes belong to a letter or a cause and outlive every replay of it. */
export const addNote: Operation<
  NoteSubject & { readonly now: number; readonly actor: string; readonly text: string },
  undefined
> = async (sql, { about, subject, now, actor, text }) => {
  await sql.run(
    'INSERT INTO notes (about, subject, made_at, actor, text) VALUES (?, ?, ?, ?, ?)',
    about,
    subject,
    now,
    actor,
    text,
  )
  return undefined
}

export const listNotes: Operation<NoteSubject, readonly Note[]> = async (sql, { about, subject }) =>
  sql.all<Note>('SELECT made_at AS "madeAt", actor, text FROM notes WHERE about = ? AND subject = ? ORDER BY id', about, subject)
