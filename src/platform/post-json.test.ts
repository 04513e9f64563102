import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { postJson } from './post-json.ts'

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const never = new AbortController().signal
const request = { token: 'secret', body: '{"a":1}', signal: never }

test('what is posted arrives with its token, and the answer comes back', async () => {
  const url = await serving(async (incoming, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { method, headers } = incoming
    answer.statusCode = 201
    answer.end(JSON.stringify([method, headers.authorization, headers['content-type'], Buffer.concat(chunks).toString()]))
  })
  expect(await postJson(url, request)).toEqual({
    status: 201,
    json: ['POST', 'Bearer secret', 'application/json', '{"a":1}'],
  })
})

describe('an answer', () => {
  test.each<[string, RequestListener]>([
    ['that is no JSON', (_, answer) => void answer.end('<html>')],
    ['that is empty', (_, answer) => void answer.writeHead(204).end()],
    [
      'that never ends',
      (_, answer) => {
        const chunk = Buffer.alloc(65_536, ' ')
        const more = (): void => {
          while (answer.write(chunk));
        }
        answer.on('drain', more)
        answer.on('error', () => {})
        more()
      },
    ],
    [
      'that is small on its way and large when it is unpacked',
      (_, answer) => void answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000, ' '))),
    ],
  ])('%s gives nothing', async (_, listener) => {
    expect((await postJson(await serving(listener), request)).json).toBeUndefined()
  })

  test('that leads elsewhere is not followed, and the token does not go there', async () => {
    let asked = 0
    const elsewhere = await serving((_, answer) => {
      asked++
      answer.end('{}')
    })
    const url = await serving((_, answer) => void answer.writeHead(307, { location: elsewhere }).end())
    await expect(postJson(url, request)).rejects.toThrow()
    expect(asked).toBe(0)
  })

  test('that does not come is not waited for when the signal aborts', async () => {
    const asked = Promise.withResolvers<void>()
    const url = await serving(() => asked.resolve())
    const hangUp = new AbortController()
    const posted = postJson(url, { ...request, signal: hangUp.signal })
    await asked.promise
    hangUp.abort()
    await expect(posted).rejects.toThrow()
  })
})
