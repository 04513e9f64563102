import { readFileSync } from 'node:fs'
import { get, type RequestOptions } from 'node:https'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { makeCertificates } from '../brokers/certificates.ts'
import { temporaryFolder } from '../control/letters.fixture.ts'
import { api, inject, world } from './server.fixture.ts'

function answerOf(
  url: string,
  options: RequestOptions,
): Promise<{ status: number | undefined; headers: Record<string, unknown> }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; headers: Record<string, unknown> }>()
  get(url, options, (answer) => {
    answer.resume()
    resolve({ status: answer.statusCode, headers: answer.headers })
  }).on('error', reject)
  return promise
}

test('with a certificate the server speaks TLS to everybody, and nothing in the clear', async () => {
  const { ca, files } = makeCertificates(temporaryFolder(), 'redrive')
  const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
  const { server } = await world({ tls })
  const url = await server.listen()
  expect(url).toMatch(/^https:/)
  const { status, headers } = await answerOf(`${url}/healthz`, { ca })
  expect(status).toBe(200)
  expect(headers['strict-transport-security']).toContain('max-age=')
  await expect(answerOf(`${url}/healthz`, {})).rejects.toThrow()

  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'))
  onTestFinished(() => void socket.destroy())
  const heard: Buffer[] = []
  socket.on('data', (data) => heard.push(data))
  await new Promise((resolve) => socket.once('close', resolve))
  expect(Buffer.concat(heard).toString('latin1')).not.toContain('200')
})

test('with a certificate it may listen anywhere, and its cookie goes over TLS only', async () => {
  const { files } = makeCertificates(temporaryFolder(), 'redrive')
  const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
  const { server } = await world({ tls, host: '0.0.0.0' })
  const token = ((await server.firstLink()) ?? '').split('token=')[1]
  const body = { token, password: 'correct horse battery' }
  const answer = await inject(server, { method: 'POST', url: `${api}/setup`, body })
  expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-redrive=.*; Secure/)
})
