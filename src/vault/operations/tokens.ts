import { RedriveError } from '../../core/errors.ts'
import type { Operation } from '../sql.ts'
import { type Grant, type User, type UserRow, userOf } from './accounts.ts'

/** A token as it is listed: nothing of it lets anybody in. */
export interface KnownToken extends Grant {
  readonly id: number
  readonly user: number
  readonly name: string
  readonly last4: string
  readonly madeAt: number
  readonly expiresAt: number
  readonly revokedAt: number | null
}

interface TokenRow {
  readonly id: number
  readonly user: number
  readonly name: string
  readonly last4: string
  readonly role: string
  readonly sources: string
  readonly reveal: number
  readonly madeAt: number
  readonly expiresAt: number
  readonly revokedAt: number | null
}

const columns = `id, user_id AS "user", name, last4, role, sources, reveal, made_at AS "madeAt", expires_at AS "expiresAt",
  revoked_at AS "revokedAt"`

function tokenOf({ sources, reveal, ...row }: TokenRow): KnownToken {
  return { ...row, sources: JSON.parse(sources) as string[], reveal: reveal === 1 }
}

export interface NewToken extends Grant {
  readonly user: number
  readonly name: string
  readonly hash: string
  readonly last4: string
  readonly now: number
  readonly expiresAt: number
}

export const issueToken: Operation<NewToken, KnownToken> = async (sql, token) => {
  const row = await sql.get<TokenRow>(
    `INSERT INTO tokens (user_id, name, hash, last4, role, sources, reveal, made_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${columns}`,
    token.user,
    token.name,
    token.hash,
    token.last4,
    token.role,
    JSON.stringify(token.sources),
    Number(token.reveal),
    token.now,
    token.expiresAt,
  )
  if (!row) throw new Error('The token could not be written.')
  return tokenOf(row)
}

/**
 * Only one that is good: neither revoked nor expired, and its user is there. Whether somebody whom an issuer knows is still there is only told when they sign
 * in: `vouchedSince` is how long ago that may be.
 */
export const findToken: Operation<
  { readonly hash: string; readonly now: number; readonly vouchedSince: number },
  { readonly token: KnownToken; readonly user: User } | undefined
> = async (sql, { hash, now, vouchedSince }) => {
  const token = await sql.get<TokenRow>(
    `SELECT ${columns} FROM tokens WHERE hash = ? AND revoked_at IS NULL AND expires_at > ?`,
    hash,
    now,
  )
  if (!token) return undefined
  const user = await sql.get<UserRow>(
    'SELECT * FROM users WHERE id = ? AND disabled = 0 AND (issuer IS NULL OR signed_in_at >= ?)',
    token.user,
    vouchedSince,
  )
  return user && { token: tokenOf(token), user: userOf(user) }
}

/** Those of one user, or of all. */
export const listTokens: Operation<{ readonly user?: number }, readonly KnownToken[]> = async (sql, { user }) => {
  const rows = await sql.all<TokenRow>(
    `SELECT ${columns} FROM tokens WHERE (CAST(? AS BIGINT) IS NULL OR user_id = ?) ORDER BY id DESC`,
    user ?? null,
    user ?? null,
  )
  return rows.map(tokenOf)
}

/** Revoked for good. A token of somebody else than `user` is not found. */
export const revokeToken: Operation<{ readonly id: number; readonly user?: number; readonly now: number }, undefined> = async (
  sql,
  { id, user, now },
) => {
  const changed = await sql.run(
    'UPDATE tokens SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? AND (CAST(? AS BIGINT) IS NULL OR user_id = ?)',
    now,
    id,
    user ?? null,
    user ?? null,
  )
  if (changed === 0) throw new RedriveError('not-found', `There is no token ${id}.`)
  return undefined
}
