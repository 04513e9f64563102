import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServiceBusClient, type ServiceBusReceivedMessage } from '@azure/service-bus'
import type { Broker } from '../../../scripts/brokers/start.ts'
import type { LongNumbers } from '../../../src/transports/servicebus/library.ts'
import { type ServicebusOptions, servicebus } from '../../../src/transports/servicebus/servicebus.ts'
import { giveOrder, type Order } from '../../servicebus/orders.ts'
import type { ServerArena } from '../harness/arena-rows.ts'
import { prefixed } from '../harness/prefixed.ts'
import { faultChannels, numberIn } from '../messages.ts'
import type { FoundLetter } from '../subjects.ts'

/** `queues`: the service moves letters into the sub-queue. `sessions`: messages in order, and letters as copies in a queue. */
export type EntityKind = 'queues' | 'sessions'

export interface ServicebusArena extends ServerArena {
  /** The path of a channel at the server. */
  pathOf(channel: string): string
  order(order: Order): Promise<unknown>
}

/** What a consumer process is told. */
export interface ServicebusConnection {
  readonly options: ServicebusOptions
  readonly prefix: string
}

/** The shortest that the service allows. Milliseconds. */
const lockDuration = 5000
/** No more come in one answer. */
const page = 200
const grave = `${faultChannels.work}/$DeadLetterQueue`
/** Sequence numbers as the SDK wants them, by the library that it brings along. */
const long: LongNumbers = createRequire(import.meta.resolve('@azure/service-bus'))('long')
let arenas = 0

/** Entities of its own, by a prefix. The observer is the bare SDK, which peeks, and the counts of the administration API. */
export async function servicebusArena({ url, managementUrl = '' }: Broker, kind: EntityKind): Promise<ServicebusArena> {
  const prefix = `faults-${process.pid}-${++arenas}-`
  const sessions = kind === 'sessions'
  const { work, deadLetter, invalid } = faultChannels
  const options: ServicebusOptions = { connectionString: url, adminEndpoint: managementUrl, sessions, lockDuration }
  const folder = mkdtempSync(join(tmpdir(), 'redrive-faults-'))
  const transport = prefixed(servicebus(options), prefix)
  const letters = sessions ? deadLetter : grave
  const channels = [
    ...(sessions ? ([{ address: { name: deadLetter }, role: 'dead-letter' }] as const) : []),
    { address: { name: invalid }, role: 'invalid' },
    { address: { name: work }, role: 'work', deadLetterTo: { name: letters }, lanes: sessions },
  ] as const
  await transport.provision({ channels }, 'apply')
  const observer = new ServiceBusClient(url)
  const pathOf = (channel: string): string => prefix + (channel === deadLetter ? letters : channel)
  const told = new Set<string>()

  function peek(channel: string, from: bigint | number, count: number): Promise<ServiceBusReceivedMessage[]> {
    return observer
      .createReceiver(pathOf(channel).replace('/$DeadLetterQueue', ''), {
        skipParsingBodyAsJson: true,
        ...(channel === deadLetter && !sessions && { subQueueType: 'deadLetter' }),
      })
      .peekMessages(count, { fromSequenceNumber: long.fromString(String(from)) })
  }

  async function everythingIn(channel: string): Promise<readonly ServiceBusReceivedMessage[]> {
    const found: ServiceBusReceivedMessage[] = []
    for (let from = 1n; ; ) {
      const some = await peek(channel, from, page)
      if (some.length === 0) return found
      found.push(...some)
      from = BigInt(String(some.at(-1)?.sequenceNumber)) + 1n
    }
  }

  async function count(channel: string): Promise<number> {
    const xml = await (await fetch(`${managementUrl}/${pathOf(channel)}`)).text()
    const counts = ['Active', 'Scheduled'].map((state) => new RegExp(`${state}MessageCount>(\\d+)<`).exec(xml)?.[1])
    if (counts.includes(undefined)) throw new Error('The server does not tell how many messages there are.')
    return counts.reduce((sum, each) => sum + Number(each), 0)
  }

  async function inHand(): Promise<readonly number[]> {
    const locks = await giveOrder(managementUrl, { order: 'locked', path: pathOf(work) })
    const fresh = locks.filter(([token]) => !told.has(token) && told.add(token).has(token))
    const messages = await Promise.all(fresh.map(([, sequence]) => peek(work, sequence, 1)))
    return messages.flatMap(([message]) => (message ? [numberIn(bodyOf(message))] : [])).filter((number) => number !== undefined)
  }

  const connection = (more: Partial<ServicebusOptions>): string =>
    JSON.stringify({ options: { ...options, ...more }, prefix } satisfies ServicebusConnection)
  return {
    connection: connection({}),
    connectionBy: (port) =>
      connection({ connectionString: url.replace(/(sb:\/\/[^:;]+):\d+/, `$1:${port}`), answerWithin: '3s' }),
    folder,
    hold: lockDuration,
    ...(!sessions && { deadLetter: grave }),
    pathOf,
    order: (order) => giveOrder(managementUrl, order),
    async send(messages) {
      await Promise.all(messages.map((message) => transport.send({ name: work }, message)))
    },
    left: () => count(work),
    bodies: async (channel) => (await everythingIn(channel)).map(bodyOf),
    letters: async (channel) => (await everythingIn(channel)).map(letterIn),
    // A session is free as soon as its consumer is gone, so that nobody can be asked afterwards what was in its hands.
    ...(!sessions && { inHand }),
    async close() {
      for (const channel of [work, invalid, ...(sessions ? [deadLetter] : [])])
        await fetch(`${managementUrl}/${pathOf(channel)}`, { method: 'DELETE' })
      await observer.close()
      await transport.close()
      rmSync(folder, { recursive: true })
    },
  }
}

function bodyOf({ body }: ServiceBusReceivedMessage): Uint8Array {
  return Buffer.isBuffer(body) ? body : Buffer.from(String(body))
}

function letterIn(letter: ServiceBusReceivedMessage): FoundLetter {
  const { deadLetterReason, applicationProperties = {} } = letter
  const reason = deadLetterReason ?? applicationProperties['redrive-reason']
  return { body: bodyOf(letter), ...(typeof reason === 'string' && { reason }) }
}
