import { usualTiming } from './lease-timing.ts'

/** How transactions of the vault begin. */
export interface Transactions {
  readonly write: string
  /** What concerns alerts alone, one at a time: letters are kept meanwhile, which touches nothing of it. */
  readonly alerts: string
  readonly read: string
  readonly share: ShareTransactions
}

/** How whoever has a share of the work writes: several shares may have one transaction, so that each write is fenced by itself. */
export interface ShareTransactions {
  readonly write: string
  /** The same beside others who begin so: nobody is alone with the vault meanwhile. */
  readonly beside: string
  /**
   * Gives a row while the lease of this name is held with this token, and whether whoever works follows letters that are not there in the order of their
   * numbers: else they are kept by one at a time.
   */
  readonly isHeld: string
}

/** How long the server waits for a process that has begun to write and says nothing, before it takes everything back. Milliseconds. */
const patience = 15_000

/** The same for a control plane that has a lease: whoever is silent for as long is replaced, and must not keep its successor waiting. Milliseconds. */
const patienceWithWorker = usualTiming.lasts

/** The server compiles what it takes for costly, which takes it a second where it is wrong about that; nothing that is asked here runs for as long. */
const uncompiled = 'SET LOCAL jit = off'

/**
 * Whoever writes has the vault alone, as on SQLite: operations read before they write, count in shared rows, and take the order of ids for the order
 * in which letters came. The lock is asked for in a statement of its own, and every statement after it sees all that was committed before it was
 * given: that needs `READ COMMITTED`, because a snapshot of the whole transaction would be older than the lock.
 *
 * Letters of a source are kept beside those of others, and alerts beside both, under the same lock in its shared form: see `sideWrites`.
 *
 * `token` is that of the control plane which has the vault: once another one has it, nothing is written in this one's name.
 *
 * Whoever reads sees one moment, and nobody waits for that. What is set is set for the transaction, and nothing is left on the connection.
 */
export function transactionsOf(schema: string, token?: string): Transactions {
  const where = whereIs(schema)
  const silentFor = (ms: number): string => `SET LOCAL idle_in_transaction_session_timeout = ${ms}`
  const write = (ms: number, lock = 'pg_advisory_xact_lock'): readonly string[] => [
    'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
    where,
    silentFor(ms),
    uncompiled,
    // A write that was told as done is done, whatever the database is set to.
    "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'",
    `SELECT ${lock}(${writersLock(schema)})`,
  ]
  const fence = token === undefined ? [] : [`SELECT refuse_unless_held_by('${token}')`]
  const longest = token === undefined ? patience : patienceWithWorker
  return {
    write: [...write(longest), ...fence].join('; '),
    alerts: [...write(longest, inSharedForm), `SELECT pg_advisory_xact_lock(${alertsLock(schema)})`, ...fence].join('; '),
    share: {
      write: write(patienceWithWorker).join('; '),
      beside: write(patienceWithWorker, inSharedForm).join('; '),
      isHeld: `SELECT EXISTS (SELECT FROM control_plane WHERE token LIKE '%${followsAll}') AS beside FROM leases WHERE lease = $1 AND token = $2`,
    },
    read: ['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', where, silentFor(patience), uncompiled].join('; '),
  }
}

/**
 * Statements after which nobody writes, and everything is read as of one moment, for as long as the connection lives. The lock is the connection's and not
 * the transaction's, whose snapshot would be older than the lock.
 */
export function standingStill(schema: string): readonly string[] {
  return [
    `SELECT pg_advisory_lock(${writersLock(schema)})`,
    [
      'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
      whereIs(schema),
      'SET LOCAL idle_in_transaction_session_timeout = 0',
      uncompiled,
    ].join('; '),
  ]
}

/** What the token of a worker ends with that misses no letter, in whichever order they come to be there. It is taken under the writers' lock. */
export const followsAll = '/follows-all'

/** For those who write beside each other: whoever is alone waits for all of them, and they wait for it. */
const inSharedForm = 'pg_advisory_xact_lock_shared'

function alertsLock(schema: string): string {
  return `hashtextextended('redrive alerts ${schema}', 0)`
}

function writersLock(schema: string): string {
  return `hashtext('redrive vault'), hashtext('${schema}')`
}

function whereIs(schema: string): string {
  return `SET LOCAL search_path TO ${schema}, pg_temp`
}
