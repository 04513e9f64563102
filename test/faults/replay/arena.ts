import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Broker, startBroker } from '../../../scripts/brokers/start.ts'
import { type FaultyWay, startToxiproxy } from '../../../scripts/brokers/toxiproxy.ts'
import { embedded } from '../../../src/transports/embedded/embedded.ts'
import { rabbitmq } from '../../../src/transports/rabbitmq/rabbitmq.ts'
import type { Transport } from '../../../src/transports/seam.ts'
import { createVhost, takeAll, untilQueuesOutliveAKill } from '../../brokers/rabbitmq.ts'

/** Where letters are replayed to, and who counts there what has arrived. */
export interface ReplayArena {
  /** For a control plane in a process of its own. */
  readonly connection: Connection
  /** How often each body has arrived, read by a client that is not ours. It may take them. */
  arrivals(): Promise<ReadonlyMap<string, number>>
  /** Absent where the queue is a file. */
  readonly broker?: Broker
  /** The way that control planes take to it. */
  readonly way?: FaultyWay
  /** How many lie there now. */
  depth(): Promise<number>
  close(): Promise<void>
}

export type Connection =
  | { readonly kind: 'embedded'; readonly file: string }
  | { readonly kind: 'rabbitmq'; readonly url: string }

/** A queue whose writer was killed is mended by whoever opens it next, and nobody else reads meanwhile. Milliseconds. */
const patience = 120_000
const queue = 'orders'
const topology = { channels: [{ address: { name: queue }, role: 'work' }] } as const

export function transportTo(connection: Connection): Transport {
  return connection.kind === 'embedded' ? embedded({ file: connection.file }) : rabbitmq({ url: connection.url })
}

export async function embeddedArena(): Promise<ReplayArena> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-replay-queue-'))
  const connection = { kind: 'embedded', file: join(folder, 'queue.db') } as const
  await provision(connection)
  const bodies = (): readonly string[] => {
    const db = new DatabaseSync(connection.file, { readOnly: true, timeout: patience })
    const rows = db.prepare('SELECT CAST(body AS TEXT) AS body FROM contents').all() as { body: string }[]
    db.close()
    return rows.map(({ body }) => body)
  }
  return {
    connection,
    arrivals: async () => counted(bodies()),
    depth: async () => bodies().length,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Rejects with `MissingBroker` or `MissingToxiproxy` where they cannot be had. */
export async function rabbitmqArena(): Promise<ReplayArena> {
  const toxiproxy = await startToxiproxy()
  const broker = await startBroker('rabbitmq', { version: '4.0' }).catch(async (error) => {
    await toxiproxy.stop()
    throw error
  })
  const vhost = await createVhost(broker)
  const way = await toxiproxy.before(vhost.port)
  const url = new URL(vhost.url)
  url.port = String(way.port)
  const connection = { kind: 'rabbitmq', url: url.href } as const
  await provision(connection)
  await untilQueuesOutliveAKill()
  return {
    connection,
    broker,
    way,
    arrivals: async () => {
      const taken = await vhost.barely((channel) => takeAll(channel, queue))
      return counted(taken.map(({ content }) => content.toString()))
    },
    depth: () => vhost.barely(async (channel) => (await channel.checkQueue(queue)).messageCount),
    async close() {
      await broker.stop()
      await toxiproxy.stop()
    },
  }
}

async function provision(connection: Connection): Promise<void> {
  const transport = transportTo(connection)
  await transport.provision(topology, 'apply')
  await transport.close()
}

function counted(bodies: readonly string[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const body of bodies) times.set(body, (times.get(body) ?? 0) + 1)
  return times
}
