import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Alert } from '../../src/core/alerts/monitor/alert.ts'

export interface ReceivedPost {
  readonly headers: IncomingHttpHeaders
  /** As it came. */
  readonly raw: string
  readonly alert: Alert
}

/** A real HTTP server that takes alerts from whoever has the API key. */
export interface Receiver {
  readonly url: string
  /** Those that it took. */
  readonly posts: ReceivedPost[]
  /** The statuses that it answered, one a request. */
  readonly statuses: number[]
  close(): Promise<void>
}

export const apiKey = 'key-for-the-webhook'

/** `answer` may refuse a request that has the right key; the number is that of the request, from 1. */
export async function openReceiver(answer?: (response: ServerResponse, request: number) => void): Promise<Receiver> {
  const posts: ReceivedPost[] = []
  const statuses: number[] = []
  let requests = 0
  const server = createServer(async (request, response) => {
    const raw = (await request.toArray()).join('')
    response.statusCode = request.headers['x-api-key'] === apiKey ? 204 : 401
    if (response.statusCode === 204) answer?.(response, ++requests)
    statuses.push(response.statusCode)
    if (response.statusCode === 204) posts.push({ headers: request.headers, raw, alert: JSON.parse(raw) })
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`,
    posts,
    statuses,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
