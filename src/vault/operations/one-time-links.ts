import { RedriveError } from '../../core/errors.ts'
import type { Operation, Sql } from '../sql.ts'
import { setPassword, type User, type UserRow, userById, userOf } from './accounts.ts'

export interface NewLink {
  readonly hash: string
  readonly expiresAt: number
}

/**
 * While nobody has ever set a password, each start gives the admin a new link; the first time it makes the admin. Afterwards there is nothing
 * to give: whoever starts the server again does not come in by that.
 */
export const openFirstDoor: Operation<NewLink & { readonly now: number }, User | undefined> = async (
  sql,
  { hash, expiresAt, now },
) => {
  if (await sql.get<object>('SELECT 1 FROM users WHERE password IS NOT NULL LIMIT 1')) return undefined
  await sql.run(
    `INSERT INTO users (name, role, sources, reveal, made_at) VALUES ('admin', 'admin', '["*"]', 0, ?) ON CONFLICT (name) DO NOTHING`,
    now,
  )
  const admin = await sql.get<UserRow>("SELECT * FROM users WHERE name = 'admin'")
  if (!admin) throw new Error('The first admin could not be written.')
  await replaceLink(sql, admin.id, { hash, expiresAt })
  return userOf(admin)
}

/** A new link; those that the user had before are void. */
export const issueLink: Operation<NewLink & { readonly id: number }, undefined> = async (sql, { id, hash, expiresAt }) => {
  const { name, issuer } = await userById(sql, id)
  if (issuer !== null) throw new RedriveError('conflict', `${name} signs in with ${issuer}, and has no password here.`)
  await replaceLink(sql, id, { hash, expiresAt })
  return undefined
}

async function replaceLink(sql: Sql, user: number, { hash, expiresAt }: NewLink): Promise<void> {
  await sql.run('DELETE FROM one_time_links WHERE user_id = ?', user)
  await sql.run('INSERT INTO one_time_links (hash, user_id, expires_at) VALUES (?, ?, ?)', hash, user, expiresAt)
}

interface Presented {
  readonly hash: string
  readonly now: number
}

async function holderOf(sql: Sql, { hash, now }: Presented): Promise<UserRow | undefined> {
  return sql.get<UserRow>(
    `SELECT users.* FROM one_time_links AS link JOIN users ON users.id = link.user_id
     WHERE link.hash = ? AND link.expires_at > ? AND users.disabled = 0 AND users.issuer IS NULL`,
    hash,
    now,
  )
}

/** Whose link this is, while it is good. */
export const findLink: Operation<Presented, User | undefined> = async (sql, presented) => {
  const row = await holderOf(sql, presented)
  return row && userOf(row)
}

/** Once: the link is gone with the password set. */
export const redeemLink: Operation<Presented & { readonly password: string }, User> = async (sql, { password, ...presented }) => {
  const row = await holderOf(sql, presented)
  if (!row) throw new RedriveError('not-signed-in', 'The link is not valid: it was used, has expired or never existed.')
  await setPassword(sql, { id: row.id, password })
  return userOf({ ...row, password })
}
