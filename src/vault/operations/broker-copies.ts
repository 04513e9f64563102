import { listOf, type Operation } from '../sql.ts'

/** The broker has accepted that these were completed: from now on, a letter that is like one of them is another one. */
export const lettersCompleted: Operation<{ readonly letters: readonly number[] }, undefined> = async (sql, { letters }) => {
  if (letters.length === 0) return undefined
  const { places, values } = listOf(letters)
  await sql.run(`UPDATE letters SET broker = 'gone' WHERE id IN ${places}`, ...values)
  return undefined
}

/** A collector starts anew: what was delivered twice to the one before may be delivered again. */
export const collectionBegins: Operation<{ readonly source: number }, undefined> = async (sql, { source }) => {
  await sql.run("UPDATE letters SET broker = 'completing' WHERE source = ? AND broker = 'matched'", source)
  return undefined
}
