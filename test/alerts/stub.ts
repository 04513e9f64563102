import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StubRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly raw: string
  // biome-ignore lint/suspicious/noExplicitAny: what is asserted about it is its shape.
  readonly json: any
}

/** A real HTTP server that keeps what it is sent and answers what it is told to. */
export interface Stub {
  readonly url: string
  readonly port: number
  readonly requests: StubRequest[]
  close(): Promise<void>
}

/** `answer` ends the response, or nobody does. Without one everything is taken. */
export async function openStub(answer?: (response: ServerResponse, request: StubRequest) => void): Promise<Stub> {
  const requests: StubRequest[] = []
  const server = createServer(async (request, response) => {
    const raw = (await request.toArray()).join('')
    const got = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, raw, json: parsed(raw) }
    requests.push(got)
    if (answer) answer(response, got)
    else response.writeHead(202).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined
  }
}
