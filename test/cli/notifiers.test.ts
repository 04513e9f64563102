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
  const lines = [
    'notifiers:',
    `  hook: { type: webhook, url: "${stub.url}/path", apiKey: "$\{KEY}", allowAddresses: [127.0.0.1], allowPorts: [${stub.port}] }`,
  ]
  writeFileSync(join(here.folder, 'redrive.yaml'), lines.join('\n'))
  return { here, stub }
}

describe('redrive notifiers', () => {
  it('lists them, without a secret', async () => {
    const { here, stub } = await placeWith()
    const { out, status } = await here.redrive('notifiers', 'list')
    expect(status).toBe(0)
    expect(out).toContain(`127.0.0.1:${stub.port}`)
    expect(out).not.toMatch(/hunter2|path/)
  })

  it('tests one, and says that it arrived', async () => {
    const { here, stub } = await placeWith()
    const { out, status } = await here.redrive('notifiers', 'test', 'hook')
    expect([status, out]).toEqual([0, `127.0.0.1:${stub.port} took the test.\n`])
    expect(stub.requests[0]?.headers['x-api-key']).toBe('hunter2')
  })

  it('ends with 1 when it did not arrive, and with 3 when there is none of that name', async () => {
    const { here } = await placeWith((response) => response.writeHead(500).end())
    expect(await here.redrive('notifiers', 'test', 'hook')).toMatchObject({
      status: 1,
      out: 'The test did not arrive. The receiver answered with status 500.\n',
    })
    const { status, err } = await here.redrive('notifiers', 'test', 'pager')
    expect([status, err]).toEqual([3, 'redrive: not-found: There is no notifier "pager". There are: hook.\n'])
  })
})
