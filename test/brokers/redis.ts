import { Redis } from 'ioredis'
import type { Broker } from '../../scripts/brokers/start.ts'
import { type RedisOptions, redis } from '../../src/transports/redis/redis.ts'
import type { Transport } from '../../src/transports/seam.ts'
import type { WantedChannel } from '../../src/transports/topology.ts'

/** A prefix of one's own: an empty queue within the server. */
export interface Place {
  readonly prefix: string
  readonly url: string
  open(options?: Partial<RedisOptions>): Transport
  /** Works with a bare client, as an observer that knows nothing of ours. */
  barely<T>(work: (client: Redis) => Promise<T>): Promise<T>
  provision(...channels: readonly WantedChannel[]): Promise<void>
}

let places = 0

export function placeOn({ url }: Pick<Broker, 'url'>): Place {
  const prefix = `{test-${process.pid}-${++places}}:`
  const open: Place['open'] = (options) => redis({ url, prefix, ...options })
  return {
    prefix,
    url,
    open,
    barely: (work) => withClient(url, work),
    async provision(...channels) {
      const transport = open()
      await transport.provision({ channels }, 'apply').finally(() => transport.close())
    },
  }
}

export async function withClient<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, protocol: 2, replyMapping: 'legacy' })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    client.disconnect()
  }
}
