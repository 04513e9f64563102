import type { Bodies } from './protocol.ts'
import type { ContentRow, QueueRow, WriterStatements } from './statements.ts'

type Located = Pick<QueueRow, 'id' | 'bytes'>

/** As many of them, from the first, as bring at most so many bytes into memory; one in any case, or nobody would ever get it. */
export function withinBytes<Row extends Located>(rows: readonly Row[], limit: number): Row[] {
  let bytes = 0
  const tooMany = rows.findIndex((row, index) => {
    bytes += row.bytes
    return bytes > limit && index > 0
  })
  return tooMany < 0 ? [...rows] : rows.slice(0, tooMany)
}

/** The contents of these messages, in this order. Mostly their ids follow upon each other, and one statement reads them all. */
export function contentsOf(statements: Pick<WriterStatements, 'content' | 'contents'>, rows: readonly Located[]): ContentRow[] {
  const range = rangeOf(rows)
  const contents = range ? statements.contents.all(range.first, range.last) : []
  if (range && contents.length === rows.length) return contents
  return rows.map(({ id }) => statements.content.get(id) ?? missing(id))
}

/** The first and the last id, where all in between are there too. What was sent together mostly is. */
export function rangeOf(rows: readonly Pick<QueueRow, 'id'>[]): { readonly first: number; readonly last: number } | undefined {
  const [first, last] = [rows[0]?.id, rows.at(-1)?.id]
  if (first === undefined || last === undefined || last - first !== rows.length - 1) return undefined
  return { first, last }
}

function missing(id: number): never {
  throw new Error(`Message ${id} has no content.`)
}

export function packBodies(bodies: readonly (Uint8Array | null)[]): Bodies {
  const lengths = bodies.map((body) => body?.byteLength ?? -1)
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + Math.max(length, 0), 0))
  let at = 0
  for (const body of bodies) {
    if (body === null) continue
    bytes.set(body, at)
    at += body.byteLength
  }
  return { bytes, lengths }
}
