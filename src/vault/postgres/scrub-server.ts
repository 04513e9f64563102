import { systemClock } from '../../platform/clock.ts'
import { createConnections } from '../../platform/postgres/connections.ts'
import { vaultTypes } from './postgres-sql.ts'
import { vaultAddress } from './vault-address.ts'
import { vaultErrors } from './vault-errors.ts'

/** Writing ten million letters anew takes a server longer than any question of a control plane. Milliseconds. */
const answerWithin = 3_600_000

/** Where content stood in clear. */
const tables = ['contents', 'edits', 'letter_text', 'body_text', 'letter_keys']

/**
 * Writes the tables anew, without rows that are gone, and what the server remembers of their columns. The files that it removes then, its log and its
 * backups are the server's, and hold what they held until they are overwritten or expire.
 */
export async function scrubServer(place: string): Promise<void> {
  const { url, schema } = vaultAddress(place)
  const options = {
    url,
    tls: undefined,
    connections: 1,
    connectWithin: 10_000,
    answerWithin,
    clock: systemClock,
    types: vaultTypes,
  }
  const connections = createConnections(options, vaultErrors)
  try {
    for (const table of tables) await connections.ask(`VACUUM (FULL, ANALYZE) ${schema}.${table}`)
    // So that removed files go now. It takes a right that a vault need not have; without it, the server does it when it likes.
    await connections.ask('CHECKPOINT').catch(() => [])
  } finally {
    await connections.close()
  }
}
