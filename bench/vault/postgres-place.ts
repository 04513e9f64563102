import pg from 'pg'
import { startBroker } from '../../scripts/brokers/start.ts'
import { postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import { postgresBare } from './postgres-bare.ts'
import type { VaultPlace } from './vault-place.ts'

/** All of it on one private server, as it is shipped. */
export async function postgresPlace(): Promise<VaultPlace> {
  const broker = await startBroker('postgres')
  const vault = postgresVault({ url: `${broker.url}?schema=vault` })
  const [like, rows] = [await postgresBare(broker.url, 'like'), await postgresBare(broker.url, 'rows')]
  return {
    ...{ vault, like, rows },
    async mebibytes() {
      const client = new pg.Client({ connectionString: broker.url })
      await client.connect()
      const sizes = `SELECT sum(pg_total_relation_size(oid))::float8 / 2 ^ 20 AS size FROM pg_class WHERE relnamespace = 'vault'::regnamespace AND relkind = 'r'`
      const { rows: found } = await client.query<{ size: number }>(sizes)
      await client.end()
      return found[0]?.size ?? 0
    },
    async close() {
      await Promise.all([like.close(), rows.close(), vault.close()])
      await broker.stop()
    },
  }
}
