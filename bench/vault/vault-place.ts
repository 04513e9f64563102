import type { Arrival } from '../../src/vault/arrival.ts'
import type { Vault } from '../../src/vault/vault.ts'

/** `like` has our tables with all their indexes and full text; `rows` has the rows, and one index that keeps a letter from being kept twice. */
export type Bare = 'like' | 'rows'

export interface BareInsert {
  /** All of them or none, and durable when it resolves. */
  insert(arrivals: readonly Arrival[]): Promise<void>
  close(): Promise<void>
}

/** A vault, and beside it what somebody writes by hand on the same database. */
export interface VaultPlace {
  readonly vault: Vault
  readonly like: BareInsert
  readonly rows: BareInsert
  /** What the vault takes on the disk. */
  mebibytes(): Promise<number>
  close(): Promise<void>
}
