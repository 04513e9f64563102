import type { Row } from '../sql.ts'
import { binaryArray } from './binary-array.ts'

/** A statement with its parameters, and a name where it is worth being prepared. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string | undefined
}

/**
 * A statement that has `VALUES` of one row, for several: their columns are sent as arrays, so that its text is the same for any number of rows, and
 * the server reads it once. A column in which nobody has a value is written as such: nothing says of which type it would be.
 */
export function forRows(text: string, rows: readonly Row[]): Statement {
  const columns = Array.from({ length: rows[0]?.length ?? 0 }, (_, place) => binaryArray(rows.map((row) => row[place] ?? null)))
  const sent = columns.flatMap((column) => (column ? [column] : []))
  let [next, parameter] = [0, 0]
  const picked = (): string => (columns[next++] ? `given.v${++parameter}` : 'NULL')
  const whole = text.replace(oneRow, (_, row: string) => {
    const list = row.replace(outsideQuotes, (found) => (found === '?' ? picked() : found))
    const arrays = sent.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
    return `SELECT ${list} FROM unnest(${arrays}) AS given (${sent.map((_, index) => `v${index + 1}`).join(', ')})`
  })
  return { text: whole, values: sent.map(({ bytes }) => bytes), name: nameOf(whole) }
}

const oneRow = /\bVALUES \(([^)]*)\)/
const outsideQuotes = /'[^']*'|\?/g

/** A connection keeps what it was told to prepare; a few dozen are ever asked for, and nobody may make it thousands. */
const mostNamed = 256
const names = new Map<string, string>()

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= mostNamed) return undefined
  const name = `rows_${names.size + 1}`
  names.set(text, name)
  return name
}
