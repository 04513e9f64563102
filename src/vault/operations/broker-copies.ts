import { listOf, type Operation } from '../sql.ts'

/** The broker has accepted that these were completed: from now on, a letter that is like one of them is another one. */
export const lettersCompleted: Operation<{ readonly letters: readonly number[] }, undefined> = async (sql, { letters }) => {
  if (letters.length === 0) return undefined
  const { places, values } = listOf(letters)
  await sql.lastly((last) => last.run(`UPDATE letters SET broker = 'gone' WHERE id IN ${places}`, ...values))
  return undefined
}

/** A collector starts anew: what was delivered twice to the one before may be delivered again. Tells the newest letter there is. */
export const collectionBegins: Operation<{ readonly source: number }, { readonly newest: number }> = async (sql, { source }) => {
  await sql.run("UPDATE letters SET broker = 'completing' WHERE source = ? AND broker = 'matched'", source)
  const row = await sql.get<{ newest: number | null }>('SELECT max(id) AS newest FROM letters')
  return { newest: row?.newest ?? 0 }
}

/**
 * The source was seen empty by a collector that began when `newest` was the last letter: whatever of them was still being completed then is
 * not on the broker any more, and a letter that is like one of them is another one.
 */
export const nothingIsLeft: Operation<{ readonly source: number; readonly newest: number }, undefined> = async (
  sql,
  { source, newest },
) => {
  for (const broker of ['completing', 'matched']) {
    await sql.run(`UPDATE letters SET broker = 'gone' WHERE source = ? AND broker = '${broker}' AND id <= ?`, source, newest)
  }
  return undefined
}
