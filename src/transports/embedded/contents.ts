import type { Contents } from './protocol.ts'
import type { QueueRow, WriterStatements } from './statements.ts'

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

/** The contents of these messages, in this order. */
export function contentsOf({ contents }: Pick<WriterStatements, 'contents'>, rows: readonly Located[]): Contents {
  const ids = rows.map(({ id }) => id).join()
  const found = contents.get(`[${ids}]`)
  if (found === undefined || (found.ids ?? '') !== ids) throw new Error(`The contents of ${ids} are ${found?.ids}.`)
  return {
    envelopes: `[${found.envelopes ?? ''}]`,
    lengths: JSON.parse(`[${found.lengths ?? ''}]`) as number[],
    bodies: found.bodies ?? new Uint8Array(),
  }
}
