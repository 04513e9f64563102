import type { Operation } from '../sql.ts'

interface Keyed {
  readonly actor: string
  readonly key: string
}

export interface Answer {
  readonly status: number
  readonly body: string | null
  readonly etag: string | null
}

export type BegunRequest =
  /** Nobody used the key before; whoever asked does the work, and tells with `finishRequest`. */
  | { readonly kind: 'new' }
  /** It was done. `body` is absent where the answer held a secret. */
  | ({ readonly kind: 'done' } & Answer)
  /** The first request has no answer yet, or the server died before it had one. */
  | { readonly kind: 'running' }
  /** The key belongs to another request. */
  | { readonly kind: 'other' }

/** Remembers that a request is being done, before it is done. Keys are forgotten when they are older than `forgetBefore`. */
export const beginRequest: Operation<
  Keyed & { readonly request: string; readonly now: number; readonly forgetBefore: number },
  BegunRequest
> = async (sql, { actor, key, request, now, forgetBefore }) => {
  await sql.run('DELETE FROM idempotency WHERE at < ?', forgetBefore)
  const inserted = await sql.run(
    'INSERT INTO idempotency (actor, key, request, at) VALUES (?, ?, ?, ?) ON CONFLICT (actor, key) DO NOTHING',
    actor,
    key,
    request,
    now,
  )
  if (inserted === 1) return { kind: 'new' }
  const row = await sql.get<{ request: string; status: number | null; body: string | null; etag: string | null }>(
    'SELECT request, status, body, etag FROM idempotency WHERE actor = ? AND key = ?',
    actor,
    key,
  )
  if (row?.request !== request) return { kind: 'other' }
  return row.status === null ? { kind: 'running' } : { kind: 'done', status: row.status, body: row.body, etag: row.etag }
}

export const finishRequest: Operation<Keyed & Answer, undefined> = async (sql, { actor, key, status, body, etag }) => {
  await sql.run(
    'UPDATE idempotency SET status = ?, body = ?, etag = ? WHERE actor = ? AND key = ?',
    status,
    body,
    etag,
    actor,
    key,
  )
  return undefined
}
