import { setTimeout as sleep } from 'node:timers/promises'
import amqp, { type Channel, type ChannelModel, type ConfirmChannel, type Message } from 'amqplib'
import type { Broker } from '../../scripts/brokers/start.ts'
import type { ManagementOptions } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { onlyListing } from './broker-for-tests.ts'

/** A virtual host of one's own: a fresh, empty broker within the broker. */
export interface Vhost {
  readonly name: string
  readonly url: string
  readonly port: number
  readonly management: ManagementOptions
  /** Calls the management API; `path` follows `/api/`. */
  manage(method: 'GET' | 'PUT' | 'DELETE' | 'POST', path: string, body?: unknown): Promise<unknown>
  /** Works with a bare client, as an observer that knows nothing of ours. */
  barely<T>(work: (channel: ConfirmChannel) => Promise<T>): Promise<T>
  remove(): Promise<void>
}

let vhosts = 0
let users = 0

type Permissions = Partial<Record<'configure' | 'write' | 'read', string>>

/** A consumer's user, with the least rights of docs/rabbitmq.md, or others instead; and one who may look at the management API. */
export async function leastUser(
  vhost: Vhost,
  { url, managementUrl }: Pick<Broker, 'url' | 'managementUrl'>,
  { own, permissions = {} }: { readonly own: readonly string[]; readonly permissions?: Permissions },
): Promise<{ readonly url: string; readonly management: ManagementOptions }> {
  const name = `user-${process.pid}-${++users}`
  const names = own.map((each) => each.replace(/[^\w-]/g, '\\$&')).join('|')
  await vhost.manage('PUT', `users/${name}`, { password: 'secret', tags: 'management' })
  await vhost.manage('PUT', `permissions/${vhost.name}/${name}`, {
    configure: `^(${names}|redrive\\..*)$`,
    write: `^(${names}|amq\\.default|redrive\\..*)$`,
    read: `^(${names}|redrive\\..*)$`,
    ...permissions,
  })
  const { host } = new URL(url)
  const management = { url: new URL(managementUrl ?? '').origin, user: name, password: 'secret' }
  return { url: `amqp://${name}:secret@${host}/${vhost.name}`, management }
}

export async function createVhost(broker: Pick<Broker, 'url' | 'managementUrl'>): Promise<Vhost> {
  if (broker.managementUrl === undefined) throw new Error('Tests need the management API, which a broker given by URL hides.')
  const api = new URL(broker.managementUrl)
  const management = { url: api.origin, user: api.username, password: api.password }
  const authorization = `Basic ${Buffer.from(`${api.username}:${api.password}`).toString('base64')}`

  async function manage(method: string, path: string, body?: unknown): Promise<unknown> {
    if (onlyListing) return undefined
    const json = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(`${api.origin}/api/${path}`, { method, headers, ...json })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  const name = `test-${process.pid}-${++vhosts}`
  await manage('PUT', `vhosts/${name}`)
  await manage('PUT', `permissions/${name}/guest`, { configure: '.*', write: '.*', read: '.*' })
  const url = `${broker.url}/${name}`
  return {
    name,
    url,
    port: Number(new URL(url).port),
    management,
    manage,
    async barely(work) {
      const connection = await connectAtLast(url)
      connection.on('error', () => {})
      // The library never says that something is closed whose connection died while it was closing.
      const closed = new Promise<void>((resolve) => connection.once('close', () => resolve()))
      try {
        const channel = await connection.createConfirmChannel()
        channel.on('error', () => {})
        const result = await work(channel)
        // A quorum queue of version 3 may lose what was published without a confirm when the channel is closed behind it.
        await channel.waitForConfirms()
        await Promise.race([closed, channel.close()])
        return result
      } finally {
        await Promise.race([closed, connection.close().catch(() => {})])
      }
    },
    remove: async () => void (await manage('DELETE', `vhosts/${name}`)),
  }
}

const mostTries = 10

/** A broker on an overloaded machine, or one that has just started, may hang up on a client that says hello. */
async function connectAtLast(url: string): Promise<ChannelModel> {
  for (let failures = 1; ; failures++) {
    try {
      return await amqp.connect(url)
    } catch (error) {
      if (failures === mostTries) throw error
      await sleep(200)
    }
  }
}

/**
 * Takes whatever a queue holds. A queue whose leader is away counts 0 messages, so that its word for being empty is the answer to a get, which
 * only a leader gives. Getting all of them one by one would cost a quorum queue a write for each; a consumer does not.
 */
export async function takeAll(channel: Channel, queue: string): Promise<readonly Message[]> {
  const taken: Message[] = []
  for (;;) {
    const first = await channel.get(queue)
    if (first === false) return taken
    channel.ack(first)
    taken.push(first)
    await takeMore(channel, queue, first.fields.messageCount, taken)
  }
}

async function takeMore(channel: Channel, queue: string, count: number, taken: Message[]): Promise<void> {
  if (count === 0) return
  const enough = taken.length + count
  const { promise: came, resolve } = Promise.withResolvers<void>()
  channel.once('close', resolve)
  const { consumerTag } = await channel.consume(queue, (message) => {
    if (message) {
      taken.push(message)
      channel.ack(message)
    }
    if (message === null || taken.length >= enough) resolve()
  })
  await came
  channel.off('close', resolve)
  await channel.cancel(consumerTag)
}

/**
 * A kill within seconds of its declaration loses a quorum queue, or leaves it without a leader: the broker loses. Nothing tells when that is
 * over, so that this is the one place that only waits.
 */
export async function untilQueuesOutliveAKill(): Promise<void> {
  await sleep(5000)
}
