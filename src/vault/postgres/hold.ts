import type { Client } from 'pg'
import { RedriveError } from '../../core/errors.ts'
import type { Cancel, Clock } from '../../core/ports.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import { transactionsOf } from './transactions.ts'
import { vaultErrors } from './vault-errors.ts'

/** One control plane at a time has a vault. */
export interface Hold {
  release(): Promise<void>
}

export interface Holding {
  readonly schema: string
  /** Nobody has used it before: what is written in its name is refused once another control plane has the vault. */
  readonly token: string
  readonly clock: Clock
  /** Another one has it. */
  readonly onLost: () => void
}

/** How long to wait until a connection that was lost is tried again. Milliseconds. */
const pause = 1000

/**
 * The lock is the connection's, so that it ends with the process. That alone would not do: a process that is cut off, or frozen, does not know that it
 * has lost it. So whoever gets it writes its token into the vault, and every write of a control plane is refused where another token stands.
 */
export async function holdVault(connections: Connections, { schema, token, clock, onLost }: Holding): Promise<Hold> {
  let client: Client | undefined
  let cancel: Cancel | undefined
  let isReleased = false

  async function lock(): Promise<void> {
    const own = await connections.dedicated()
    if (!(await isGiven(own, schema)) || isReleased) return connections.dismiss(own)
    client = own
    own.once('end', () => {
      client = undefined
      again()
    })
  }

  function again(): void {
    if (isReleased) return
    cancel = clock.after(pause, () => void regain(), { background: true })
  }

  /** The server may still wait for the connection that was lost: only another token says that somebody else has the vault. */
  async function regain(): Promise<void> {
    try {
      if (!client) await lock()
      if (!(await isStillOurs())) return await give()
      if (client) return
    } catch {
      // It cannot be reached: then nobody writes.
    }
    again()
  }

  async function give(): Promise<void> {
    if (isReleased) return
    await release()
    onLost()
  }

  async function isStillOurs(): Promise<boolean> {
    return (await connections.ask(`SELECT FROM ${schema}.control_plane WHERE token = $1`, [token])).length > 0
  }

  async function release(): Promise<void> {
    isReleased = true
    cancel?.()
    if (client) await connections.dismiss(client)
  }

  await lock()
  if (!client) {
    throw new RedriveError(
      'conflict',
      'A control plane runs on this vault. Ask it with --server, stop it first, or use a vault of your own.',
    )
  }
  try {
    await connections.within((ask) => ask(putToken, [token]), transactionsOf(schema).write)
  } catch (error) {
    await release()
    throw error
  }
  return { release }
}

const putToken = 'INSERT INTO control_plane (id, token) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET token = excluded.token'

/** One that does not answer is not given either, and is tried again as any other that was lost. */
async function isGiven(client: Client, schema: string): Promise<boolean> {
  const sql = `SELECT pg_try_advisory_lock(hashtext('redrive control plane'), hashtext($1)) AS "isOurs"`
  const { rows } = await client.query(sql, [schema]).catch(async (error) => {
    void client.end().catch(() => {})
    throw vaultErrors.working(error)
  })
  return rows[0]?.isOurs === true
}
