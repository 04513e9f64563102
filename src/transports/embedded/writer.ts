import type { DatabaseSync } from 'node:sqlite'
import { RedriveError } from '../../core/errors.ts'
import { isBusy, leavesDoubt, spoilsConnection, storeError } from '../../platform/sqlite/store-errors.ts'
import { openStore } from '../../platform/sqlite/store-file.ts'
import { pragma } from '../../platform/sqlite/store-schema.ts'
import type { Result, WireError } from '../../platform/sqlite/wire.ts'
import type { Hold } from '../leases/protocol.ts'
import { type ChannelBook, createChannelBook, createTally } from './channels.ts'
import { claim } from './claim.ts'
import { perform } from './jobs.ts'
import type { PackedClaim, WorkerSettings, WriteBatch, WriteReply } from './protocol.ts'
import { deleteContents, type Transaction } from './rows.ts'
import { queueSchema } from './schema.ts'
import { complete, completeRange, holdLost } from './settle.ts'
import { prepareWriter, type WriterStatements } from './statements.ts'

export interface Writer {
  execute(batch: WriteBatch): WriteReply
  close(): void
}

interface Connection {
  readonly db: DatabaseSync
  readonly statements: WriterStatements
  channels: ChannelBook
  /** Changes whenever another process has committed something. */
  dataVersion: number
  synchronous: 'FULL' | 'NORMAL' | undefined
}

/**
 * Group commit: a batch is everything that was asked for while the last commit ran, and it becomes one transaction with one
 * fsync. When that transaction fails for a reason that may lie in one of its requests, they are tried one by one.
 */
export function createWriter(settings: WorkerSettings): Writer {
  let connection: Connection | undefined

  function connect(): Connection {
    connection ??= openConnection(settings)
    return connection
  }

  function discard(): void {
    const spoilt = connection
    connection = undefined
    try {
      spoilt?.db.close()
    } catch {
      // It is being thrown away because it failed; that it fails again says nothing new.
    }
  }

  function execute(batch: WriteBatch): WriteReply {
    try {
      return attempt(connect(), batch, settings)
    } catch (failure) {
      const { error, committing } =
        failure instanceof FailedCommit ? { error: failure.cause, committing: true } : { error: failure, committing: false }
      if (spoilsConnection(error)) discard()
      else if (connection && isGroup(batch) && !isBusy(error)) return mergeReplies(batch, apart(batch).map(execute))
      const told = storeError(error, settings.file)
      return failAll(batch, committing && leavesDoubt(error) ? { code: 'unsure', message: told.message } : told)
    }
  }

  return {
    execute,
    close() {
      connection?.db.exec('PRAGMA busy_timeout = 0')
      connection?.db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
      discard()
    },
  }
}

function openConnection(settings: WorkerSettings): Connection {
  const db = openStore({ file: settings.file, schema: queueSchema, readOnly: false, busyTimeout: settings.busyTimeout })
  db.exec('PRAGMA cache_size = -16384')
  const statements = prepareWriter(db)
  return { db, statements, channels: createChannelBook(statements), dataVersion: 0, synchronous: undefined }
}

class FailedCommit extends Error {}

function attempt(connection: Connection, batch: WriteBatch, settings: WorkerSettings): WriteReply {
  const foreignWrites = batch.poll && sawForeignWrites(connection)
  if (isEmpty(batch)) return { results: [], claims: [], ready: [], foreignWrites, commits: 0 }
  const { db, statements, channels } = connection
  synchronise(connection, mustLast(batch) && settings.durability === 'full' ? 'FULL' : 'NORMAL')
  db.exec('BEGIN IMMEDIATE')
  try {
    const transaction: Transaction = {
      now: batch.now,
      statements,
      channels,
      tally: createTally(statements),
      ready: new Set(),
      emptied: [],
    }
    const reply = run(transaction, batch)
    deleteContents(transaction)
    transaction.tally.write()
    commit(db)
    return { ...reply, ready: [...transaction.ready], foreignWrites, commits: 1 }
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    // What was learnt inside the transaction may have gone with it.
    connection.channels = createChannelBook(statements)
    throw error
  }
}

function commit(db: DatabaseSync): void {
  try {
    db.exec('COMMIT')
  } catch (cause) {
    throw new FailedCommit('The commit failed.', { cause })
  }
}

/** Settlements first: what they free can be claimed in the same transaction. */
function run(transaction: Transaction, batch: WriteBatch): Pick<WriteReply, 'completes' | 'results' | 'claims'> {
  const completes = runCompletes(transaction, batch.completes)
  const results = batch.jobs.map((job) => outcome(() => perform(transaction, job)))
  const claims = batch.claims.map((request) => outcome<PackedClaim>(() => claim(transaction, request)))
  return completes ? { completes, results, claims } : { results, claims }
}

function runCompletes(transaction: Transaction, pairs: Float64Array): (WireError | null)[] | undefined {
  const apart = new Map<number, number[]>()
  for (let at = 0; at < pairs.length; ) {
    const end = endOfRun(pairs, at)
    const [first = 0, fence = 0, last = 0] = [pairs[at], pairs[at + 1], pairs[end - 2]]
    if (last === first || !completeRange(transaction, first, last, fence)) {
      const ids = apart.get(fence) ?? []
      for (let id = first; id <= last; id++) ids.push(id)
      apart.set(fence, ids)
    }
    at = end
  }
  const lost = [...apart].flatMap(([fence, ids]) => complete(transaction, ids, fence).map((id) => ({ id, fence })))
  return lost.length === 0 ? undefined : lossesAmong(pairs, lost)
}

/** Where the run of consecutive ids with one fence ends that starts here: mostly what is settled together was sent together. */
function endOfRun(pairs: Float64Array, at: number): number {
  let end = at + 2
  while (pairs[end] === (pairs[end - 2] ?? 0) + 1 && pairs[end + 1] === pairs[at + 1]) end += 2
  return end
}

function lossesAmong(pairs: Float64Array, lost: readonly Hold[]): (WireError | null)[] {
  return Array.from({ length: pairs.length / 2 }, (_, index) => {
    const hold = lost.find(({ id, fence }) => id === pairs[index * 2] && fence === pairs[index * 2 + 1])
    return hold ? storeError(holdLost(hold), '') : null
  })
}

/** What a request does wrong is its own affair; what the database does wrong is everybody's. */
function outcome<Value>(work: () => Value): Result<Value> {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof RedriveError) return { error: { code: error.code, message: error.message } }
    throw error
  }
}

function sawForeignWrites(connection: Connection): boolean {
  const before = connection.dataVersion
  connection.dataVersion = pragma(connection.db, 'data_version')
  return connection.dataVersion !== before
}

/** A claim alone replaces no acknowledgement: if the power fails, it is as if it had not been made. */
function mustLast(batch: WriteBatch): boolean {
  return batch.completes.length > 0 || batch.jobs.length > 0
}

function synchronise(connection: Connection, mode: 'FULL' | 'NORMAL'): void {
  if (connection.synchronous === mode) return
  connection.db.exec(`PRAGMA synchronous = ${mode}`)
  connection.synchronous = mode
}

function isEmpty({ completes, jobs, claims }: WriteBatch): boolean {
  return completes.length + jobs.length + claims.length === 0
}

function isGroup({ completes, jobs, claims }: WriteBatch): boolean {
  return (completes.length > 0 ? 1 : 0) + jobs.length + claims.length > 1
}

function apart(batch: WriteBatch): WriteBatch[] {
  const none = { now: batch.now, completes: new Float64Array(), jobs: [], claims: [], poll: false }
  return [
    { ...none, completes: batch.completes, poll: batch.poll },
    ...batch.jobs.map((job) => ({ ...none, jobs: [job] })),
    ...batch.claims.map((request) => ({ ...none, claims: [request] })),
  ]
}

function mergeReplies(batch: WriteBatch, replies: WriteReply[]): WriteReply {
  const completes = replies[0]?.completes
  return {
    ...(completes && batch.completes.length > 0 ? { completes } : {}),
    results: replies.flatMap((reply) => reply.results),
    claims: replies.flatMap((reply) => reply.claims),
    ready: replies.flatMap((reply) => reply.ready),
    foreignWrites: replies.some((reply) => reply.foreignWrites),
    commits: replies.reduce((sum, reply) => sum + reply.commits, 0),
  }
}

function failAll(batch: WriteBatch, error: WireError): WriteReply {
  return {
    completes: Array.from({ length: batch.completes.length / 2 }, () => error),
    results: batch.jobs.map(() => ({ error })),
    claims: batch.claims.map(() => ({ error })),
    ready: [],
    foreignWrites: false,
    commits: 0,
  }
}
