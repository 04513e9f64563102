/**
 * The part of a database that the vault uses, so that its operations are written once for SQLite, where they run inside the worker
 * thread that owns the connection, and for PostgreSQL, where they run over the network. Parameters are `?`.
 */
export interface Sql {
  all<Row extends object>(text: string, ...parameters: readonly Value[]): Promise<Row[]>
  get<Row extends object>(text: string, ...parameters: readonly Value[]): Promise<Row | undefined>
  /** The id of the new row; nothing where a conflict kept it out. */
  insert(text: string, ...parameters: readonly Value[]): Promise<number | undefined>
  /** How many rows were changed. */
  run(text: string, ...parameters: readonly Value[]): Promise<number>
}

export type Value = null | number | string | Uint8Array

/** An operation sees one consistent state, and writes all or nothing. */
export type Operation<Input, Output> = (sql: Sql, input: Input) => Promise<Output>

/** Placeholders for a list. Lengths are rounded up by repeating the last value, so that few statements are prepared. */
export function listOf(values: readonly Value[]): { readonly places: string; readonly values: readonly Value[] } {
  const length = 2 ** Math.ceil(Math.log2(Math.max(values.length, 1)))
  const last = values.at(-1) ?? null
  const padded = [...values, ...Array.from({ length: length - values.length }, () => last)]
  return { places: `(${padded.map(() => '?').join(', ')})`, values: padded }
}
