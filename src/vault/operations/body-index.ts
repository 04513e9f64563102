import { RedriveError } from '../../core/errors.ts'
import { bodyWords } from '../body-words.ts'
import type { TextIndex } from '../dialect.ts'
import { blockSize } from '../letter-blocks.ts'
import { refuseSearchWhereSealed, refuseWordsWhereSealed } from '../sealing/sealed-vault.ts'
import { listOf, type Operation, type Sql } from '../sql.ts'

/**
 * Says whose bodies can be searched. Words of a source that is left out must not stay, and nobody can tell them from the others: then the
 * index starts anew, and is filled again as any other.
 */
export const searchBodiesOf: Operation<{ readonly sources: readonly number[] }, undefined> = async (sql, { sources }) => {
  if (sources.length > 0) await refuseWordsWhereSealed(sql)
  const { places, values } = listOf([0, ...sources])
  const left = await sql.get<object>(`SELECT 1 FROM body_index WHERE source NOT IN ${places} LIMIT 1`, ...values)
  if (left) await endBodyIndex(sql)
  for (const source of sources) {
    await sql.run('INSERT INTO body_index (source, up_to) VALUES (?, 0) ON CONFLICT (source) DO NOTHING', source)
  }
  return undefined
}

/**
 * Makes the next letters of one source searchable by their bodies. How far it came is written with the words themselves: after a crash, the next
 * one goes on from there. A body may take a millisecond, so that a step is short and others have their turn in between.
 */
export const indexBodies: Operation<{ readonly most: number }, { readonly done: boolean }> = async (sql, { most }) => {
  const newest = (await sql.get<{ id: number | null }>('SELECT max(id) AS id FROM letters'))?.id ?? 0
  const behind = await sql.get<{ source: number; up_to: number }>(
    'SELECT source, up_to FROM body_index WHERE up_to < ? ORDER BY up_to LIMIT 1',
    newest,
  )
  if (!behind) return { done: true }
  const { source, up_to: from } = behind
  const end = Math.min(from + blockSize, newest)
  const rows = await sql.all<{ letter: number; body: Uint8Array | null }>(bodies, source, from, end, most)
  for (const { letter, body } of rows) {
    await sql.run('INSERT INTO body_text (rowid, body) VALUES (?, ?)', letter, bodyWords(body))
  }
  const reached = rows.length === most ? (rows.at(-1)?.letter ?? end) : end
  await sql.run('UPDATE body_index SET up_to = ? WHERE source = ?', reached, source)
  return { done: false }
}

const bodies = `
  SELECT contents.letter, contents.body FROM contents JOIN letters ON letters.id = contents.letter
  WHERE +letters.source = ? AND contents.letter > ? AND contents.letter <= ? ORDER BY contents.letter LIMIT ?`

/** No body can be searched any more; what its pages still hold goes when they are written anew. */
export async function endBodyIndex(sql: Sql): Promise<void> {
  if (!(await sql.get<object>('SELECT 1 FROM body_index LIMIT 1'))) return
  await sql.run(sql.dialect.emptyBodyText)
  await sql.run('DELETE FROM body_index')
  await noteWordsToShred(sql)
}

export async function noteWordsToShred(sql: Sql): Promise<void> {
  await sql.run('INSERT INTO words_to_shred (id) VALUES (1) ON CONFLICT (id) DO NOTHING')
}

export async function refuseUnlessSearched(sql: Sql): Promise<void> {
  await refuseSearchWhereSealed(sql)
  if (await sql.get<object>('SELECT 1 FROM body_index LIMIT 1')) return
  throw new RedriveError(
    'unsupported',
    'No source of this vault keeps an index of bodies, so body: cannot be answered. Set searchBodies: true for the source.',
  )
}

/**
 * What was deleted from a full-text index stays in its pages until they are written anew: this does so, a few pages at a time. Until it is done, a
 * note in the file says that it is to be done, so that a crash only puts it off.
 */
export const shredWords: Operation<undefined, { readonly done: boolean }> = async (sql) => {
  if (!(await sql.get<object>('SELECT 1 FROM words_to_shred LIMIT 1'))) return { done: true }
  for (const index of ['letter_text', 'body_text'] as const) {
    if (await isRewritten(sql, index)) return { done: false }
  }
  await sql.run('DELETE FROM words_to_shred')
  return { done: true }
}

/** It says that nothing was left to do by changing nothing but the row that asked for it. */
async function isRewritten(sql: Sql, index: TextIndex): Promise<boolean> {
  const rewrite = sql.dialect.rewrite?.(index)
  if (!rewrite) return false
  const changes = async () => (await sql.get<{ n: number }>(rewrite.changes))?.n ?? 0
  const before = await changes()
  await sql.run(rewrite.step)
  return (await changes()) - before >= 2
}
