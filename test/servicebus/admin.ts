import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { entityEntry, errorXml, settingsFrom } from './atom.ts'
import type { Namespace, Queue, Topic } from './namespace.ts'
import { type Orders, ordersPath } from './orders.ts'
import { ServiceError } from './service-error.ts'

/** The administration API of a namespace, as much of it as the SDK needs to create, look at and delete entities. */
export interface Admin {
  readonly endpoint: string
  stop(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly xml: string
}

/** Beside it, orders of tests that have the server in another process. */
export async function startAdmin(namespace: Namespace, orders: Orders, wantedPort: number): Promise<Admin> {
  const server = createServer((request, response) => {
    void handle(request, response)
  })
  // Longer than a measurement rests between two requests: a connection that is closed under the next one would end it.
  server.keepAliveTimeout = 120_000
  server.listen(wantedPort, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const endpoint = `http://127.0.0.1:${port}`

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', endpoint).pathname).replace(/^\/+/, '')
    const body = await text(request)
    if (path === ordersPath) return void response.end(JSON.stringify(orders(JSON.parse(body)) ?? null))
    const { status, xml } = answerOrRefuse(request, path, body)
    response.writeHead(status, { 'content-type': 'application/atom+xml;type=entry;charset=utf-8' })
    response.end(xml)
  }

  function answerOrRefuse(request: IncomingMessage, path: string, body: string): Answer {
    try {
      return answer(request, path, body)
    } catch (error) {
      if (error instanceof ServiceError) return refused(error.status, error.message)
      throw error
    }
  }

  function answer({ method, headers }: IncomingMessage, path: string, body: string): Answer {
    const found = find(path)
    if (method === 'PUT' && !found) return { status: 201, xml: entityEntry(create(path, body), endpoint) }
    if (method === 'PUT' && headers['if-match'] !== '*') return refused(409, `Conflict. Entity '${path}' already exists.`)
    if (!found) return refused(404, `Entity '${path}' was not found.`)
    if (method === 'DELETE') namespace.remove(path)
    return { status: 200, xml: entityEntry(found, endpoint) }
  }

  function find(path: string): Queue | Topic | undefined {
    return namespace.queue(path) ?? namespace.topic(path)
  }

  function create(path: string, body: string): Queue | Topic {
    const settings = settingsFrom(body)
    const [, topic, subscription] = /^(.*)\/subscriptions\/([^/]+)$/i.exec(path) ?? []
    if (topic !== undefined && subscription !== undefined) return namespace.createSubscription(topic, subscription, settings)
    return body.includes('<TopicDescription') ? namespace.createTopic(path, settings) : namespace.createQueue(path, settings)
  }

  return {
    endpoint,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function refused(status: number, detail: string): Answer {
  return { status, xml: errorXml(status, `SubCode=${status}00. ${detail}`) }
}
