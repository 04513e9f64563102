import { base64, fromBase64 } from '../../core/base64.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Row, Sql, Value } from '../sql.ts'

/**
 * A table that only a vault has which is being copied into: made before the first row is copied, and dropped when all of them have been compared. Whoever
 * finds it has half of a vault.
 */
export const markTable = 'vault_copy'

/** How far one table has come. */
export interface Reached {
  readonly rows: number
  /** The key of the last row that was copied, in the order of the source. */
  readonly after: Row
}

export type Progress = Map<string, Reached>

export interface HalfCopy {
  readonly source: string
  readonly progress: Progress
}

export async function markAsHalfCopy(sql: Sql, source: string): Promise<void> {
  await sql.run(`CREATE TABLE ${markTable} (source TEXT NOT NULL, progress TEXT NOT NULL)`)
  await sql.run(`INSERT INTO ${markTable} (source, progress) VALUES (?, ?)`, source, '[]')
}

export async function readHalfCopy(sql: Sql): Promise<HalfCopy> {
  const row = await sql.get<{ source: string; progress: string }>(`SELECT source, progress FROM ${markTable}`)
  return { source: row?.source ?? '', progress: parsed(row?.progress ?? '[]') }
}

/** In the transaction of the rows themselves: after a crash it says exactly what is there. */
export async function noteProgress(sql: Sql, progress: Progress): Promise<void> {
  await sql.run(`UPDATE ${markTable} SET progress = ?`, written(progress))
}

export async function markAsWhole(sql: Sql): Promise<void> {
  await sql.run(`DROP TABLE ${markTable}`)
}

/** What everybody is told who would use it as a vault. */
export function halfCopied(where: string): RedriveError {
  return new RedriveError(
    'copy-unfinished',
    `${where} is half of a copy: \`redrive vault copy\` has not finished. Run the same command again, which goes on where it ended, or remove it.`,
  )
}

type Written = readonly [table: string, rows: number, after: readonly (null | number | string | { readonly bytes: string })[]]

function written(progress: Progress): string {
  const lines = [...progress].map(([table, { rows, after }]): Written => [table, rows, after.map(plain)])
  return JSON.stringify(lines)
}

function plain(value: Value): Written[2][number] {
  return value instanceof Uint8Array ? { bytes: base64(value) } : value
}

function parsed(text: string): Progress {
  const lines = JSON.parse(text) as readonly Written[]
  return new Map(lines.map(([table, rows, after]) => [table, { rows, after: after.map(restored) }]))
}

function restored(value: Written[2][number]): Value {
  return typeof value === 'object' && value !== null ? (fromBase64(value.bytes) ?? new Uint8Array()) : value
}
