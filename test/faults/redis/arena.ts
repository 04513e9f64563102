import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { Broker } from '../../../scripts/brokers/start.ts'
import { redis } from '../../../src/transports/redis/redis.ts'
import type { ServerArena } from '../harness/arena-rows.ts'
import { faultChannels, numberIn } from '../messages.ts'
import type { FoundLetter } from '../subjects.ts'

export interface RedisArena extends ServerArena {
  /** The stream of a channel. */
  keyOf(channel: string): string
  /** A bare client, which shares no code with what it observes. */
  readonly observer: Redis
}

let prefixes = 0

/** A prefix of its own. The observer reads streams with plain commands. */
export async function redisArena({ url }: Broker): Promise<RedisArena> {
  const prefix = `{faults-${process.pid}-${++prefixes}}:`
  const folder = mkdtempSync(join(tmpdir(), 'redrive-faults-'))
  const transport = redis({ url, prefix })
  const { work, deadLetter, invalid } = faultChannels
  const channels = [
    { address: { name: deadLetter }, role: 'dead-letter' },
    { address: { name: invalid }, role: 'invalid' },
    { address: { name: work }, role: 'work' },
  ] as const
  await transport.provision({ channels }, 'apply')
  const observer = new Redis(url, { protocol: 2, replyMapping: 'legacy', maxRetriesPerRequest: null })
  observer.on('error', () => {})
  const keyOf = (channel: string): string => prefix + channel
  const told = new Set<string>()

  async function contents(channel: string): Promise<readonly ReadonlyMap<string, Buffer>[]> {
    const entries = (await observer.xrangeBuffer(keyOf(channel), '-', '+')) as unknown as [Buffer, Buffer[]][]
    return entries.map(([, fields]) => fieldsIn(fields))
  }

  /** Every claim counts one more delivery, so with it each hand-out has a name of its own. */
  async function newlyHeld(): Promise<readonly string[]> {
    const pending = (await observer.xpending(keyOf(work), 'redrive', '-', '+', 1_000_000)) as [string, string, number, number][]
    const held = pending.filter(([, consumer]) => !consumer.startsWith('~'))
    return held.flatMap(([id, consumer, , deliveries]) => {
      const name = `${id} ${consumer} ${deliveries}`
      return told.has(name) ? [] : told.add(name) && id
    })
  }

  return {
    connection: JSON.stringify({ url, prefix }),
    connectionBy(port) {
      const proxied = Object.assign(new URL(url), { port: String(port) })
      return JSON.stringify({ url: proxied.href, prefix, answerWithin: '3s', connectWithin: '3s' })
    },
    folder,
    hold: 1500,
    keyOf,
    observer,
    async send(messages) {
      await Promise.all(messages.map((message) => transport.send({ name: work }, message)))
    },
    left: () => observer.xlen(keyOf(work)),
    bodies: async (channel) => (await contents(channel)).map((fields) => fields.get('body') ?? null),
    letters: async (channel) => (await contents(channel)).map(letterIn),
    async inHand() {
      const numbers = (await newlyHeld()).map(async (id) => {
        const [entry] = (await observer.xrangeBuffer(keyOf(work), id, id)) as unknown as [Buffer, Buffer[]][]
        return entry && numberIn(fieldsIn(entry[1]).get('body') ?? null)
      })
      return (await Promise.all(numbers)).filter((number) => number !== undefined)
    },
    async close() {
      observer.disconnect()
      await transport.close()
      rmSync(folder, { recursive: true })
    },
  }
}

function fieldsIn(fields: readonly Buffer[]): ReadonlyMap<string, Buffer> {
  const pairs = Array.from({ length: fields.length / 2 }, (_, index) => fields.slice(index * 2, index * 2 + 2))
  return new Map(pairs.map(([name, value]) => [String(name), value as Buffer]))
}

/** The envelope is a list in JSON whose seventh member holds the headers. */
function letterIn(fields: ReadonlyMap<string, Buffer>): FoundLetter {
  const headers = (JSON.parse(String(fields.get('envelope'))) as unknown[])[6] as readonly [string, unknown][]
  const reason = headers.find(([name]) => name === 'redrive-reason')?.[1]
  return { body: fields.get('body') ?? null, ...(typeof reason === 'string' && { reason }) }
}
