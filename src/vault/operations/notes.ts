import type { Operation } from '../sql.ts'
import type { AsSeen } from '../standing.ts'
import { membersOf } from './cause-groups.ts'
import { causeAsSeen } from './causes.ts'

export interface Note {
  readonly madeAt: number
  readonly actor: string
  readonly text: string
}

export interface NoteSubject {
  readonly about: 'letter' | 'cause'
  readonly subject: number
}

/** Notes belong to a letter or a cause and outlive every replay of it. Of a cause it may be said how it was seen. */
export const addNote: Operation<
  NoteSubject & AsSeen & { readonly now: number; readonly actor: string; readonly text: string },
  undefined
> = async (sql, { about, subject, now, actor, text, seen }) => {
  if (about === 'cause') await causeAsSeen(sql, subject, seen)
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

export interface CauseNote extends Note {
  /** The cause that it was written on: one that stands under the other, perhaps. */
  readonly cause: number
}

/** Also those that were written on what stands under it: they stay with that when a merge is undone. */
export const causeNotes: Operation<{ readonly cause: number }, readonly CauseNote[]> = async (sql, { cause }) =>
  sql.all<CauseNote>(
    `SELECT made_at AS "madeAt", actor, text, subject AS cause FROM notes
     WHERE about = 'cause' AND subject IN (${membersOf('?')}) ORDER BY id`,
    cause,
    cause,
  )
