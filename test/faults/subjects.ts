import type { Message } from '../../src/core/message.ts'
import { embedded } from '../../src/transports/embedded/embedded.ts'
import { postgres } from '../../src/transports/postgres/postgres.ts'
import { redis } from '../../src/transports/redis/redis.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { servicebus } from '../../src/transports/servicebus/servicebus.ts'
import { sqs } from '../../src/transports/sqs/sqs.ts'
import type { ConsumerOrder } from './consumer-process.ts'
import { embeddedArena } from './embedded/arena.ts'
import { prefixed } from './harness/prefixed.ts'
import { openRocketmq } from './rocketmq/arena.ts'
import type { ServicebusConnection } from './servicebus/arena.ts'

/** A broker with nothing in it, and the observers that know it without our runtime. */
export interface Arena {
  /** What a consumer process needs to connect, as text. */
  readonly connection: string
  readonly folder: string
  /** The shortest hold that makes sense here: how long a killed consumer's messages stay away. Milliseconds. */
  readonly hold: number
  /** Resolves when all are confirmed. */
  send(messages: readonly Message[]): Promise<void>
  /** Messages that still have to be processed, delayed and held ones included. */
  left(): Promise<number>
  /** Every body in a channel, read by a client that is not ours. */
  bodies(channel: string): Promise<readonly (Uint8Array | null)[]>
  /** Where consumers are to put letters, when the broker has a place of its own for them. */
  readonly deadLetter?: string
  /** Messages have a key, and nobody asks for their order. */
  readonly inAnyOrder?: boolean
  /** Every letter in a channel with the reason that it gives, read by the same client; absent where that client reads no headers. */
  letters?(channel: string): Promise<readonly FoundLetter[]>
  /**
   * Asked right after a consumer died: what was in its hands, claimed ahead messages included. Absent where a broker does not say.
   * Each hand-out is told once.
   */
  inHand?(): Promise<readonly number[]>
  close(): Promise<void>
}

export interface FoundLetter {
  readonly body: Uint8Array | null
  readonly reason?: string
}

type Told = 'connection' | 'hold' | 'deadLetter' | 'inAnyOrder'

/** What every consumer of an arena is told about it. */
export function orderOn({ connection, hold, deadLetter, inAnyOrder }: Arena): Pick<ConsumerOrder, Told> {
  return { connection, hold, ...(deadLetter !== undefined && { deadLetter }), ...(inAnyOrder && { inAnyOrder }) }
}

/** Everything that can be put through the faults, by the name of its transport. */
export const arenas: Readonly<Record<string, () => Promise<Arena>>> = { embedded: embeddedArena }

const connections: Readonly<Record<string, (connection: string) => Promise<Transport>>> = {
  embedded: async (connection) => embedded({ file: connection }),
  postgres: async (connection) => postgres(JSON.parse(connection)),
  redis: async (connection) => redis(JSON.parse(connection)),
  rocketmq: async (connection) => openRocketmq(connection),
  servicebus: async (connection) => {
    const { options, prefix } = JSON.parse(connection) as ServicebusConnection
    return prefixed(servicebus(options), prefix)
  },
  sqs: async (connection) => sqs(JSON.parse(connection)),
}

export async function openForConsumer(subject: string, connection: string): Promise<Transport> {
  const open = connections[subject]
  if (!open) throw new Error(`No such subject: ${subject}`)
  return open(connection)
}
