import { type ErrorCode, RedriveError } from '../../core/errors.ts'
import { isEnding, stateOf } from './sql-state.ts'

export interface Meaning {
  readonly code: ErrorCode
  readonly advice: string
}

/** By SQLSTATE, the first that it begins with. Whatever the server answers with one of these, the transaction was rolled back. */
export type Meanings = readonly (readonly [state: string, meaning: Meaning])[]

/** What everybody who asks a PostgreSQL server may be told. */
export const commonMeanings: Meanings = [
  ['28', { code: 'access-denied', advice: 'The server refused the user or the password.' }],
  ['3D000', { code: 'access-denied', advice: 'The database does not exist; create it, or correct the url.' }],
  ['53300', { code: 'unreachable', advice: 'The server has no connection left; raise max_connections or lower `connections`.' }],
  ['57014', { code: 'refused', advice: 'The server did not finish in time; something keeps a lock on the tables.' }],
  ['55P03', { code: 'refused', advice: 'Something keeps a lock on the tables.' }],
]

/** What goes wrong on a connection, as whoever asked is told. The text of the server is left out: it may quote what is in a row. */
export interface ServerErrors {
  /** Before anything was asked: certainly nothing was done. */
  connecting(error: unknown): RedriveError
  /** In the middle of a transaction, which the server rolls back when it is not there any more. */
  working(error: unknown): RedriveError
  /** Where the answer would have said that it is done. */
  committing(error: unknown): RedriveError
}

export function createServerErrors(meanings: Meanings, otherwise: Meaning): ServerErrors {
  function answered(state: string): RedriveError {
    const [, { code, advice }] = meanings.find(([beginning]) => state.startsWith(beginning)) ?? ['', otherwise]
    return new RedriveError(code, `PostgreSQL answered with ${state}. ${advice}`, { cause: { code: state } })
  }

  function told(error: unknown, lost: (state: string | undefined) => RedriveError): RedriveError {
    if (error instanceof RedriveError) return error
    const state = stateOf(error)
    return state === undefined || isEnding(state) ? lost(state) : answered(state)
  }

  return {
    connecting: (error) =>
      told(error, () => new RedriveError('unreachable', 'PostgreSQL cannot be reached; nothing was done.', { cause: error })),
    working: (error) =>
      told(
        error,
        () => new RedriveError('unreachable', 'The connection to PostgreSQL was lost; nothing was done.', { cause: error }),
      ),
    committing: (error) =>
      told(error, (state) =>
        state === undefined
          ? new RedriveError('unsure', 'The connection to PostgreSQL was lost before it answered.', { cause: error })
          : new RedriveError('unsure', `PostgreSQL ended the connection (${state}) before it answered.`),
      ),
  }
}

/** A lock, a full disk, no memory, a standby: nothing that a statement writes brings it about, or another form of it would avoid. */
const ofTheServer = /^(57014|55P03|25006|53|58)/

export function isOfTheServer(error: unknown): boolean {
  return error instanceof RedriveError && ofTheServer.test(stateOf(error.cause) ?? '')
}
