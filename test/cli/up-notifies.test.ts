import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runControlPlane } from '../../src/cli/run-control-plane.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { openStub } from '../alerts/stub.ts'
import { until } from '../until.ts'

it('a control plane tells the notifiers of its configuration about a letter, and ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-up-'))
  const stub = await openStub()
  const yaml = `
vault: vault.db
server: { port: 1, publicUrl: "https://redrive.example" }
connections:
  shop: { transport: embedded, file: "${join(folder, 'queue.db')}" }
sources:
  - { connection: shop, channel: dlq.orders, mode: collect }
alerting: { redactHosts: true }
notifiers:
  critical: { type: webhook, url: "${stub.url}", severity: critical, allowAddresses: [127.0.0.1], allowPorts: [${stub.port}] }
  elsewhere: { type: webhook, url: "${stub.url}/elsewhere", sources: [billing], allowAddresses: [127.0.0.1], allowPorts: [${stub.port}] }
`
  const config = await readConfig(yaml, { file: 'redrive.yaml', folder, environment: {} })
  const problems: string[] = []
  const running = await runControlPlane(
    { ...config, server: { ...config.server, port: 0 } },
    {
      onProblem: (problem) => problems.push(problem),
      async beforeCollecting({ transports }) {
        const transport = transports.get('shop')
        const address = { name: 'dlq.orders' }
        await transport?.provision({ channels: [{ address, role: 'dead-letter' }] }, 'apply')
        await transport?.send(address, { body: Buffer.from('MARK'), headers: [], correlationId: 'order-1' })
        return async () => {}
      },
    },
  )
  onTestFinished(async () => {
    await running.close()
    await stub.close()
    rmSync(folder, { recursive: true, force: true })
  })

  await until('a post', () => stub.requests.length > 0)
  expect(stub.requests[0]?.json).toMatchObject({
    severity: 'CRITICAL',
    subject: 'Poison message detected in DLQ dlq.orders',
    alerts: [{ rule: 'dlq.any', source: 'shop', queue: 'dlq.orders' }],
  })
  expect(stub.requests[0]?.json.instance).toMatch(/^redrive-[0-9a-f]{8}$/)
  expect(stub.requests[0]?.json.link).toBe('https://redrive.example/alerts')
  expect(stub.requests[0]?.json.alerts[0].link).toMatch(/^https:\/\/redrive\.example\/alerts#[0-9a-f]{64}$/)
  expect(stub.requests.filter(({ path }) => path === '/elsewhere')).toEqual([])
  expect(JSON.stringify([stub.requests, problems])).not.toContain('MARK')
}, 300_000)
