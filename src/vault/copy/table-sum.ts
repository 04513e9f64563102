import { createHash } from 'node:crypto'
import type { Row, Sql, Value } from '../sql.ts'
import type { TableSum } from './outcome.ts'
import { type PageQuery, pagesOf } from './pages.ts'

const modulus = 1n << 256n

/**
 * The hashes of all rows are added up, so that their order does not count: two databases need not put texts into the same one. Every row has a key of its
 * own, and none can stand for another.
 */
export async function sumOf(sql: Sql, query: PageQuery, onRows: (rows: number) => void): Promise<TableSum> {
  let [rows, sum] = [0, 0n]
  for await (const page of pagesOf(sql, query)) {
    for (const found of page) sum = (sum + BigInt(`0x${hashOf(Object.values(found))}`)) % modulus
    rows += page.length
    onRows(page.length)
  }
  return { rows, hash: sum.toString(16).padStart(64, '0') }
}

/** With the kind and the length of each value: no two rows that differ are written alike. */
function hashOf(row: Row): string {
  const hash = createHash('sha256')
  for (const value of row) {
    const [kind, bytes] = written(value)
    hash.update(`${kind}${bytes.length}:`).update(bytes)
  }
  return hash.digest('hex')
}

function written(value: Value): [kind: string, bytes: Uint8Array] {
  if (value === null) return ['n', new Uint8Array()]
  if (value instanceof Uint8Array) return ['b', value]
  return [typeof value === 'number' ? 'i' : 't', Buffer.from(String(value))]
}
