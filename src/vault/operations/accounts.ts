import { RedriveError } from '../../core/errors.ts'
import type { Operation, Sql } from '../sql.ts'

/** What somebody may do: as a role, and on which sources. What a role means is the server's business. */
export interface Grant {
  readonly role: string
  /** Patterns of `connection/channel`. */
  readonly sources: readonly string[]
  readonly reveal: boolean
}

export interface User extends Grant {
  readonly id: number
  readonly name: string
  readonly disabled: boolean
  /** Whether they ever set one. */
  readonly hasPassword: boolean
  /** Who says that they are who they are, and what they may do; `null` for users of our own. */
  readonly issuer: string | null
  readonly madeAt: number
  /** Another one after every change. */
  readonly version: number
}

export interface UserRow {
  readonly id: number
  readonly name: string
  readonly role: string
  readonly sources: string
  readonly reveal: number
  readonly disabled: number
  readonly password: string | null
  readonly made_at: number
  readonly version: number
  readonly issuer: string | null
  readonly signed_in_at: number | null
}

export function userOf(row: UserRow): User {
  const { id, name, role, sources, reveal, disabled, password, made_at: madeAt, version, issuer } = row
  return {
    ...{ id, name, role },
    sources: JSON.parse(sources) as string[],
    reveal: reveal === 1,
    disabled: disabled === 1,
    hasPassword: password !== null,
    ...{ issuer, madeAt, version },
  }
}

export async function userById(sql: Sql, id: number): Promise<User> {
  const row = await sql.get<UserRow>('SELECT * FROM users WHERE id = ?', id)
  if (!row) throw new RedriveError('not-found', `There is no user ${id}.`)
  return userOf(row)
}

export const showUser: Operation<{ readonly id: number }, User> = (sql, { id }) => userById(sql, id)

export const listUsers: Operation<undefined, readonly User[]> = async (sql) =>
  (await sql.all<UserRow>('SELECT * FROM users ORDER BY name')).map(userOf)

/** For whoever checks a password, and nobody else. */
export const findCredentials: Operation<
  { readonly name: string },
  { readonly user: User; readonly password: string | null } | undefined
> = async (sql, { name }) => {
  const row = await sql.get<UserRow>('SELECT * FROM users WHERE name = ?', name)
  return row && { user: userOf(row), password: row.password }
}

export const createUser: Operation<Grant & { readonly name: string; readonly now: number }, User> = async (sql, input) => {
  const { name, role, sources, reveal, now } = input
  const row = await sql.get<{ id: number }>(
    `INSERT INTO users (name, role, sources, reveal, made_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (name) DO NOTHING RETURNING id`,
    name,
    role,
    JSON.stringify(sources),
    Number(reveal),
    now,
  )
  if (!row) throw new RedriveError('conflict', `There is a user ${name} already.`)
  return userById(sql, row.id)
}

export interface UserChange extends Partial<Grant> {
  readonly id: number
  /** The version that whoever changes it has seen. */
  readonly version: number
  readonly disabled?: boolean
}

/** Whoever is signed in with what they were is signed out: nobody goes on with rights that they had. */
export const changeUser: Operation<UserChange, User> = async (sql, { id, version, ...change }) => {
  const before = await userById(sql, id)
  if (before.version !== version) {
    throw new RedriveError('changed-meanwhile', `User ${before.name} was changed since you looked.`)
  }
  const after = { ...before, ...change }
  if (before.issuer !== null && !isSameGrant(before, after)) {
    throw new RedriveError('conflict', `What ${before.name} may do comes from groups of their issuer, at every sign-in.`)
  }
  await sql.run(
    'UPDATE users SET role = ?, sources = ?, reveal = ?, disabled = ?, version = version + 1 WHERE id = ?',
    after.role,
    JSON.stringify(after.sources),
    Number(after.reveal),
    Number(after.disabled),
    id,
  )
  await requireAdmin(sql)
  await endSessionsOf(sql, id)
  if (after.disabled) await sql.run('DELETE FROM one_time_links WHERE user_id = ?', id)
  return userById(sql, id)
}

export function isSameGrant(one: Grant, other: Grant): boolean {
  return one.role === other.role && one.reveal === other.reveal && JSON.stringify(one.sources) === JSON.stringify(other.sources)
}

/** Else nobody could ever make another one. */
async function requireAdmin(sql: Sql): Promise<void> {
  const admin = await sql.get<object>(
    "SELECT 1 FROM users WHERE role = 'admin' AND disabled = 0 AND (password IS NOT NULL OR issuer IS NOT NULL) LIMIT 1",
  )
  if (!admin) throw new RedriveError('conflict', 'This is the last admin who can sign in. Make another one first.')
}

export const setPassword: Operation<{ readonly id: number; readonly password: string }, undefined> = async (
  sql,
  { id, password },
) => {
  await sql.run('UPDATE users SET password = ?, version = version + 1 WHERE id = ?', password, id)
  await sql.run('DELETE FROM one_time_links WHERE user_id = ?', id)
  await endSessionsOf(sql, id)
  return undefined
}

export function endSessionsOf(sql: Sql, user: number): Promise<number> {
  return sql.run('DELETE FROM sessions WHERE user_id = ?', user)
}
