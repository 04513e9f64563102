import type { Dialect } from './dialect.ts'
import type { KeyRing } from './sealing/key-ring.ts'

/**
 * The part of a database that the vault uses, so that its operations are written once for SQLite, where they run inside the worker
 * thread that owns the connection, and for PostgreSQL, where they run over the network. Parameters are `?`.
 */
export interface Sql extends Writer {
  all<Found extends object>(text: string, ...parameters: Row): Promise<Found[]>
  get<Found extends object>(text: string, ...parameters: Row): Promise<Found | undefined>
  /**
   * The ids of new rows, in their order; nothing where a conflict kept one out, be it with an earlier one of them. `text` inserts one row, and `unique`
   * is the place and the name of the column that no two rows share.
   */
  insertEach(text: string, rows: readonly Row[], unique: Unique): Promise<readonly (number | undefined)[]>
  /** How many rows were changed. */
  run(text: string, ...parameters: Row): Promise<number>
  /**
   * What an operation writes in the end: no answer is needed for it, and nothing is asked after it. So a server may be sent all of it at once, and the
   * commit with it. For operations of `sideWrites` alone: of any other, it is not known that nothing follows.
   */
  lastly<Result>(work: (last: Writer) => Promise<Result>): Promise<Result>
  /** Whether nobody else writes meanwhile. Else others may keep letters of other sources, and nothing else: `alone.ts`. */
  readonly isAlone: boolean
  /** What contents are sealed and opened with, where keys were given: `sealing/contents.ts`. */
  readonly ring: KeyRing | undefined
}

/** The part of it that asks for nothing. */
export interface Writer {
  /** Does the same for several rows; `text` has `VALUES` of one, and no two of them may change the same row. */
  runEach(text: string, rows: readonly Row[]): Promise<void>
  run(text: string, ...parameters: Row): Promise<unknown>
  /** What the database has words of its own for. */
  readonly dialect: Dialect
}

export type Row = readonly Value[]

export interface Unique {
  readonly place: number
  readonly column: string
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
