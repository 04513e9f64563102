import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { RedriveError } from '../../core/errors.ts'
import { checkSchema, migrate, type StoreSchema, writeSchema } from './store-schema.ts'

export interface StoreOptions {
  readonly file: string
  readonly schema: StoreSchema
  readonly readOnly: boolean
  readonly busyTimeout: number
}

/** Up to this size every page is checked at open; a larger file would keep its user waiting and is checked as it is read. */
const fullyCheckedBytes = 32 * 1024 * 1024

/** There is no database, and nothing in the way of making one. */
export function isStillToBeMade(file: string): boolean {
  return !existsSync(file) && existsSync(dirname(file))
}

/** Opens the database, making it first where there is none, or throws with a code that says what is wrong with it. */
export function openStore(options: StoreOptions): DatabaseSync {
  refuseUnwritable(options.file)
  if (!existsSync(options.file)) createStore(options.file, options.schema)
  refuseDamagedHeader(options.file)
  const db = new DatabaseSync(options.file, { timeout: options.busyTimeout })
  try {
    const behind = checkSchema(db, options.schema, options.file)
    if (!options.readOnly) refuseDamagedPages(db, options.file)
    if (behind > 0) migrate(db, options.schema)
    if (options.readOnly) db.exec('PRAGMA query_only = 1')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * A new database is made in a folder of its own and linked into place when it is complete. So a file that exists is never a file
 * that a crash left half made, and one that is empty was emptied by somebody. The folder's name is drawn, not made from the
 * process: two transports of one process, or of two containers, may create the same file at once.
 */
function createStore(file: string, schema: StoreSchema): void {
  const folder = mkdtempSync(`${file}.new-`)
  const unfinished = join(folder, basename(file))
  try {
    const db = new DatabaseSync(unfinished)
    try {
      writeSchema(db, schema)
    } finally {
      db.close()
    }
    refuseDamagedHeader(unfinished)
    if (schema.isPrivate) chmodSync(unfinished, 0o600)
    linkUnlessThere(unfinished, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function linkUnlessThere(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    // Another process was quicker; its file is as good as ours.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const folder = openSync(dirname(to), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function refuseUnwritable(file: string): void {
  const folder = dirname(file)
  if (!existsSync(folder)) throw new RedriveError('unreachable', `The folder ${folder} does not exist; create it first.`)
  for (const path of existsSync(file) ? [folder, file] : [folder]) {
    try {
      accessSync(path, constants.W_OK)
    } catch (cause) {
      throw new RedriveError('store-readonly', `${path} cannot be written by this process.`, { cause })
    }
  }
}

/** SQLite takes an empty file for a new database; here it is one whose messages are gone. */
function refuseDamagedHeader(file: string): void {
  const header = Buffer.alloc(100)
  const descriptor = openSync(file, 'r')
  const read = readSync(descriptor, header, 0, 100, 0)
  closeSync(descriptor)
  if (read < 100 || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
    throw corrupt(file, read === 0 ? 'it is empty' : 'it does not start as a database does')
  }
  const missing = missingBytes(header, statSync(file).size)
  if (missing > 0 && !existsSync(`${file}-wal`)) throw corrupt(file, `its last ${missing} bytes are missing`)
}

/** The header says how many pages there are. Only a log that is still to be merged may hold those beyond the end of the file. */
function missingBytes(header: Buffer, size: number): number {
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  return header.readUInt32BE(28) * pageSize - size
}

function refuseDamagedPages(db: DatabaseSync, file: string): void {
  if (statSync(file).size > fullyCheckedBytes) return
  const finding = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0]
  if (finding !== 'ok') throw corrupt(file, String(finding))
}

function corrupt(file: string, how: string): RedriveError {
  return new RedriveError('store-corrupt', `${file} is damaged: ${how}. It was left as it is; restore it from a copy.`)
}
