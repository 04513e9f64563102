import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands in front of a server and answers two addresses as a server with a bug would. */
export interface Planted {
  readonly address: string
  /** The addresses that lie. */
  readonly paths: readonly string[]
  close(): Promise<void>
}

export async function plantBugs(address: string): Promise<Planted> {
  const bugs: Readonly<Record<string, { readonly status: number; readonly body: string }>> = {
    // An answer that the document does not describe, and one that nobody should ever get.
    '/api/v1/causes': { status: 200, body: JSON.stringify({ cause: [] }) },
    '/api/v1/sources': { status: 500, body: JSON.stringify({ message: 'Cannot read properties of undefined' }) },
  }
  const proxy = createServer((incoming, answer) => {
    const { url = '/', method = 'GET', headers } = incoming
    const bug = method === 'GET' ? bugs[url.split('?', 1)[0] ?? ''] : undefined
    if (bug) return void answer.writeHead(bug.status, { 'content-type': 'application/json' }).end(bug.body)
    const onward = ask(`${address}${url}`, { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    paths: Object.keys(bugs),
    close: () => new Promise((resolve) => void proxy.close(() => resolve()).closeAllConnections()),
  }
}
