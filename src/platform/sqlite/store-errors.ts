import { type ErrorCode, RedriveError } from '../../core/errors.ts'
import type { WireError } from './wire.ts'

/** SQLite's own numbers; the low byte is the family, the rest says more. */
const family = { busy: 5, noMemory: 7, readonly: 8, io: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const
/** The shared-memory file could not be grown: in practice a full disk that shows itself there first. */
const sharedMemoryFull = 4874

export function sqliteCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code : undefined
}

/** What a failure of SQLite means to a caller. Nothing was written, except where `unsure` says that this is not known. */
export function storeError(error: unknown, file: string): WireError {
  if (error instanceof RedriveError) return { code: error.code, message: error.message }
  const text = error instanceof Error ? error.message : String(error)
  const [code, what] = meaning(sqliteCode(error))
  return { code, message: `${what}: ${file} (${text}).` }
}

function meaning(code: number | undefined): [ErrorCode, string] {
  if (code === undefined) return ['store-failed', 'The database failed']
  if (code === sharedMemoryFull) return ['store-full', 'The disk that holds the database is full']
  switch (code & 0xff) {
    case family.full:
      return ['store-full', 'The disk that holds the database is full']
    case family.readonly:
      return ['store-readonly', 'The database or its folder cannot be written']
    case family.corrupt:
    case family.notADatabase:
      return ['store-corrupt', 'The database is damaged']
    case family.busy:
      return ['refused', 'Another process kept the database locked for too long; nothing was written']
    // Neither has to do with what was to be written: it is worth another try as it is.
    case family.io:
    case family.noMemory:
      return ['refused', 'The database could not use its disk or memory; nothing was written']
    case family.cannotOpen:
      return ['unreachable', 'The database cannot be opened']
    default:
      return ['store-failed', 'The database failed']
  }
}

/**
 * After these the connection knows things that the file may not: pages whose fsync failed are clean in memory and perhaps not
 * on the disk. It is thrown away and never asked again.
 */
export function spoilsConnection(error: unknown): boolean {
  const code = sqliteCode(error)
  if (code === undefined) return false
  return [family.io, family.corrupt, family.notADatabase, family.readonly, family.cannotOpen].some((one) => one === (code & 0xff))
}

/** Somebody else has the database locked: nothing that was asked brings that about, and each try waits for as long. */
export function isBusy(error: unknown): boolean {
  return ((sqliteCode(error) ?? 0) & 0xff) === family.busy
}

/** Whether a commit that failed so may nevertheless be found in the file later. */
export function leavesDoubt(error: unknown): boolean {
  return ((sqliteCode(error) ?? 0) & 0xff) === family.io && sqliteCode(error) !== sharedMemoryFull
}
