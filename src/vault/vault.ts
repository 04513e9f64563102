import type { Reads, Writes } from './operations/operations.ts'
import type { Operation } from './sql.ts'

/**
 * The durable store of letters, causes and replays. Two verbs for everything: `write` resolves when what it did is durable, `read` never
 * makes a writer wait. Both reject with a `RedriveError`.
 */
export interface Vault {
  write<Name extends keyof Writes>(name: Name, input: InputOf<Writes[Name]>): Promise<OutputOf<Writes[Name]>>
  read<Name extends keyof Reads>(name: Name, input: InputOf<Reads[Name]>): Promise<OutputOf<Reads[Name]>>
  close(): Promise<void>
}

export type InputOf<Of> = Of extends Operation<infer Input, infer _Output> ? Input : never
export type OutputOf<Of> = Of extends Operation<never, infer Output> ? Output : never
