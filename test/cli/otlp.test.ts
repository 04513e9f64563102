import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStub, type Stub } from '../alerts/stub.ts'
import { type Workplace, workplace } from './run-redrive.ts'

async function placeWith(answer?: Parameters<typeof openStub>[0]): Promise<{ here: Workplace; stub: Stub }> {
  const stub = await openStub(answer)
  const here = workplace({ KEY: 'hunter2' })
  onTestFinished(async () => {
    here.remove()
    await stub.close()
  })
  const line = `otlp: { url: "${stub.url}/path", headers: { api-key: "$\{KEY}" }, allowAddresses: [127.0.0.1], allowPorts: [${stub.port}] }`
  writeFileSync(join(here.folder, 'redrive.yaml'), line)
  return { here, stub }
}

describe('redrive otlp', () => {
  it('sends one count, and says that it arrived', async () => {
    const { here, stub } = await placeWith()
    const { out, status } = await here.redrive('otlp', 'test')
    expect([status, out]).toEqual([0, `127.0.0.1:${stub.port} took the test.\n`])
    expect(stub.requests).toMatchObject([{ path: '/path', headers: { 'api-key': 'hunter2' } }])
    expect(stub.requests[0]?.raw).toContain('"name":"redrive_test"')
    expect(stub.requests[0]?.raw).toContain('{"key":"service.name","value":{"stringValue":"redrive"}}')
  })

  it('ends with 1 when it did not arrive, and with 3 when no collector is named', async () => {
    const { here } = await placeWith((response) => response.writeHead(401).end('who is hunter2'))
    expect(await here.redrive('otlp', 'test', '--json')).toMatchObject({
      status: 1,
      out: '{"sent":false,"problem":"The receiver answered with status 401"}\n',
    })
    writeFileSync(join(here.folder, 'redrive.yaml'), 'vault: v.db')
    const { status, err } = await here.redrive('otlp', 'test')
    expect([status, err]).toEqual([3, 'redrive: not-found: The configuration names no collector: it has no otlp.\n'])
  })
})
