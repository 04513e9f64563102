import { hash } from 'node:crypto'
import type { Operation, Sql } from '../sql.ts'

export interface AuditEntry {
  readonly at: number
  /** Who it was, as far as that is known. */
  readonly actor: string
  readonly address: string
  readonly action: string
  readonly object: string
  /** JSON. Never anything of a payload. */
  readonly detail: string
  readonly result: AuditResult
}

/**
 * `attempted`: about to be done. Then `done`, `failed` (it was not, or nobody knows) or `denied`. Where none of them follows, the server died
 * in between. Who is refused before anything is attempted has one row, `denied`.
 */
export type AuditResult = 'attempted' | 'done' | 'failed' | 'denied'

export interface AuditRow extends AuditEntry {
  readonly seq: number
  readonly hash: string
}

/** What the first row is chained to. */
const beginning: Head = { seq: 0, hash: '' }

interface Head {
  readonly seq: number
  readonly hash: string
}

/** Each row's hash covers the row and the hash before it, so that none can be changed, put in or taken out without changing all that follow. */
export const appendAudit: Operation<AuditEntry, Head> = async (sql, entry) => {
  const last = await headOf(sql)
  const seq = last.seq + 1
  const head = { seq, hash: chained(last.hash, { ...entry, seq }) }
  await sql.run(
    'INSERT INTO audit (seq, at, actor, address, action, object, detail, result, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    seq,
    entry.at,
    entry.actor,
    entry.address,
    entry.action,
    entry.object,
    entry.detail,
    entry.result,
    head.hash,
  )
  await sql.run(
    'INSERT INTO audit_head (id, seq, hash) VALUES (1, ?, ?) ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash',
    head.seq,
    head.hash,
  )
  return head
}

async function headOf(sql: Sql): Promise<Head> {
  return (await sql.get<Head>('SELECT seq, hash FROM audit_head')) ?? beginning
}

function chained(before: string, { seq, at, actor, address, action, object, detail, result }: Omit<AuditRow, 'hash'>): string {
  return hash('sha256', JSON.stringify([before, seq, at, actor, address, action, object, detail, result]))
}

/** The newest first. */
export const listAudit: Operation<{ readonly limit: number; readonly before?: number }, readonly AuditRow[]> = async (
  sql,
  { limit, before },
) => sql.all('SELECT * FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?', before ?? Number.MAX_SAFE_INTEGER, limit)

export interface AuditVerdict {
  /** How many rows fit. */
  readonly rows: number
  /** The hash of the last row that fits. Whoever keeps it elsewhere can show later that nothing up to it was changed. */
  readonly head: string
  /** The first row that does not fit. */
  readonly bad?: { readonly seq: number; readonly because: 'changed' | 'missing' | 'not-the-one-expected' }
}

const rowsAtATime = 1000

/** Recomputes the whole chain. `expected` is a row and its hash as somebody kept them outside of the vault. */
export const verifyAudit: Operation<{ readonly expected?: Head }, AuditVerdict> = async (sql, { expected }) => {
  let last = beginning
  const verdict = (because?: 'changed' | 'missing' | 'not-the-one-expected'): AuditVerdict => ({
    rows: last.seq,
    head: last.hash,
    ...(because && { bad: { seq: last.seq + 1, because } }),
  })
  for (;;) {
    const rows = await sql.all<AuditRow>('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?', last.seq, rowsAtATime)
    for (const row of rows) {
      if (row.seq !== last.seq + 1) return verdict('missing')
      if (chained(last.hash, row) !== row.hash) return verdict('changed')
      if (row.seq === expected?.seq && row.hash !== expected.hash) return verdict('not-the-one-expected')
      last = { seq: row.seq, hash: row.hash }
    }
    if (rows.length < rowsAtATime) break
  }
  const head = await headOf(sql)
  if (head.seq > last.seq || (expected && expected.seq > last.seq)) return verdict('missing')
  return head.hash === last.hash ? verdict() : { ...verdict(), bad: { seq: last.seq, because: 'changed' } }
}
