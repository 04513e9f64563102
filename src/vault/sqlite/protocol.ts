import type { Result } from '../../platform/sqlite/wire.ts'
import type { VaultKeys } from '../../platform/vault-key.ts'
import type { Ingest, Ingested } from '../operations/ingest.ts'
import {
  type PackedIngest,
  type PackedIngested,
  packIngest,
  packIngested,
  unpackIngest,
  unpackIngested,
} from './packed-arrivals.ts'

/** What the vault and its two threads say to each other: the name of an operation and what it is given. */
export interface ThreadSettings {
  readonly role: 'writer' | 'reader'
  readonly file: string
  /** How long a transaction waits for another process. Milliseconds. */
  readonly busyTimeout: number
  /** Objects that travel to the thread without being written out. */
  readonly keys?: VaultKeys | undefined
}

export interface Call {
  readonly name: string
  readonly input: unknown
}

/** A call as it travels. `moved` is not copied: whoever sends it has it no longer. */
export function packed({ name, input }: Call): { readonly call: Call; readonly moved: readonly ArrayBuffer[] } {
  if (name !== 'ingest') return { call: { name, input }, moved: [] }
  const batch = packIngest(input as Ingest)
  return { call: { name, input: batch }, moved: [batch.bytes.buffer] }
}

export function unpacked({ name, input }: Call): Call {
  return name === 'ingest' ? { name, input: unpackIngest(input as PackedIngest) } : { name, input }
}

export function packedResult({ name }: Call, result: Result): Result {
  return name === 'ingest' && 'value' in result ? { value: packIngested(result.value as Ingested) } : result
}

export function unpackedResult({ name }: Call, result: Result): Result {
  return name === 'ingest' && 'value' in result ? { value: unpackIngested(result.value as PackedIngested) } : result
}
