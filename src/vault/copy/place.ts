import type { Sql } from '../sql.ts'

/** What the two databases say in different words, and only who copies asks. A statement is one of the transaction that it is given. */
export interface CopyWords {
  isHalfCopy(sql: Sql): Promise<boolean>
  /** The last number that was given to a row of a table with a column `id`; 0 where nobody remembers one. */
  lastNumber(sql: Sql, table: string): Promise<number>
  /** From now on new rows have later numbers, where the database counts. */
  countFrom(sql: Sql, table: string, last: number): Promise<void>
  /** Takes away all rows, also of a table whose rows cannot be removed. */
  empty(sql: Sql, table: string): Promise<void>
}

/** A vault that stands still: nobody writes to it, and no control plane runs on it, until it is closed. */
export interface CopySource {
  /** As people are told of it, and as the target remembers it. */
  readonly name: string
  readonly words: CopyWords
  readonly sql: Sql
  close(): Promise<void>
}

/** A vault that no control plane may run on meanwhile. */
export interface CopyTarget {
  readonly name: string
  readonly words: CopyWords
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** All of it or nothing, and durable when it resolves. */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}
