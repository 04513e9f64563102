import type { Operation } from '../sql.ts'
import { type User, type UserRow, userOf } from './accounts.ts'

export interface NewSession {
  readonly hash: string
  readonly user: number
  readonly now: number
  readonly address: string
  /** Sessions that began, or were used, before these moments have ended. */
  readonly begunBefore: number
  readonly usedBefore: number
}

/** Sessions that have ended are swept out at the same time. */
export const beginSession: Operation<NewSession, undefined> = async (sql, input) => {
  const { hash, user, now, address, begunBefore, usedBefore } = input
  await sql.run('DELETE FROM sessions WHERE made_at < ? OR used_at < ?', begunBefore, usedBefore)
  await sql.run(
    'INSERT INTO sessions (hash, user_id, made_at, used_at, address) VALUES (?, ?, ?, ?, ?)',
    hash,
    user,
    now,
    now,
    address,
  )
  return undefined
}

export interface KnownSession {
  readonly user: User
  readonly madeAt: number
  readonly usedAt: number
}

/** With the user as they are now: what a session may do changes with its user. */
export const findSession: Operation<{ readonly hash: string }, KnownSession | undefined> = async (sql, { hash }) => {
  const row = await sql.get<UserRow & { session_made_at: number; session_used_at: number }>(
    `SELECT users.*, sessions.made_at AS session_made_at, sessions.used_at AS session_used_at
     FROM sessions JOIN users ON users.id = sessions.user_id WHERE sessions.hash = ? AND users.disabled = 0`,
    hash,
  )
  return row && { user: userOf(row), madeAt: row.session_made_at, usedAt: row.session_used_at }
}

export const touchSession: Operation<{ readonly hash: string; readonly now: number }, undefined> = async (sql, { hash, now }) => {
  await sql.run('UPDATE sessions SET used_at = ? WHERE hash = ? AND used_at < ?', now, hash, now)
  return undefined
}

export const endSession: Operation<{ readonly hash: string }, undefined> = async (sql, { hash }) => {
  await sql.run('DELETE FROM sessions WHERE hash = ?', hash)
  return undefined
}
