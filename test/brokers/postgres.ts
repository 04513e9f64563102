import pg from 'pg'
import type { Broker } from '../../scripts/brokers/start.ts'
import { type PostgresOptions, postgres } from '../../src/transports/postgres/postgres.ts'
import type { Transport } from '../../src/transports/seam.ts'
import type { WantedChannel } from '../../src/transports/topology.ts'

/** A schema of one's own: an empty queue within the server. */
export interface Place {
  readonly schema: string
  readonly url: string
  open(options?: Partial<PostgresOptions>): Transport
  /** Works with a bare client, as an observer that knows nothing of ours. */
  barely<T>(work: (client: pg.Client) => Promise<T>): Promise<T>
  provision(...channels: readonly WantedChannel[]): Promise<void>
}

let places = 0

export function placeOn({ url }: Pick<Broker, 'url'>): Place {
  const schema = `test_${process.pid}_${++places}`
  const open: Place['open'] = (options) => postgres({ url, schema, ...options })
  return {
    schema,
    url,
    open,
    barely: (work) => withClient(url, work),
    async provision(...channels) {
      const transport = open()
      await transport.provision({ channels }, 'apply').finally(() => transport.close())
    },
  }
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
