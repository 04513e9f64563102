import { setTimeout as sleep } from 'node:timers/promises'
import amqp, { type ChannelModel, type ConfirmChannel } from 'amqplib'
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
