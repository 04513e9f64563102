import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createAdmin } from './admin.ts'
import { loadLibrary } from './library.ts'
import { resolveOptions } from './options.ts'

const connectionString = 'Endpoint=sb://127.0.0.1;SharedAccessKeyName=name;SharedAccessKey=a2V5'

/** An endpoint that closes the first connection under the question on it, and knows no queue. */
async function setUp() {
  const asked: string[] = []
  const server = createServer(({ method = '', socket }, response) => {
    if (asked.push(method) === 1) socket.destroy()
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  await once(server, 'listening')
  const adminEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, admin: createAdmin(await loadLibrary(), resolveOptions({ connectionString, adminEndpoint })) }
}

it('asks again, once, when a connection was closed under the question', async () => {
  const { asked, admin } = await setUp()
  expect(await admin.queueExists('work')).toBe(false)
  expect(asked).toEqual(['GET', 'GET'])
})

it('does not do again what may have been done', async () => {
  const { asked, admin } = await setUp()
  await expect(admin.createQueue('work')).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(asked).toEqual(['PUT'])
})
