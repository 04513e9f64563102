import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type RunningServer, runControlPlane } from '../../src/cli/run-control-plane.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { otlpFindings } from '../alerts/otlp-collector.ts'
import { openStub, type Stub } from '../alerts/stub.ts'
import { until } from '../until.ts'

/** A control plane with one letter, whose collector answers as it is told. */
async function planeWith(
  timeout: string,
  answer?: Parameters<typeof openStub>[0],
): Promise<{ stub: Stub; problems: string[]; running: RunningServer }> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-otlp-'))
  const stub = await openStub(answer)
  const yaml = `
vault: vault.db
server: { port: 1 }
connections:
  shop: { transport: embedded, file: "${join(folder, 'queue.db')}" }
sources:
  - { connection: shop, channel: dlq.orders, mode: collect }
otlp: { url: "${stub.url}", every: 1s, timeout: ${timeout}, allowAddresses: [127.0.0.1], allowPorts: [${stub.port}] }
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
        await transport?.send(address, { body: Buffer.from('MARK'), headers: [['x-MARK', 'MARK']], key: 'MARK' })
        return async () => {}
      },
    },
  )
  onTestFinished(async () => {
    await running.close()
    await stub.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { stub, problems, running }
}

it('a control plane tells the collector of its configuration what it counts, and nothing of what letters hold', async () => {
  const { stub } = await planeWith('1m')
  const unresolved = '"name":"redrive_unresolved_letters"'
  const isTold = (): boolean => stub.requests.some(({ raw }) => raw.includes(unresolved) && raw.includes('"asInt":"1"'))
  await until('the letter is counted', isTold)
  expect(stub.requests.flatMap(({ json }) => otlpFindings(json))).toEqual([])
  const raw = stub.requests.map((request) => request.raw).join('\n')
  expect(raw).toContain('{"key":"queue.name","value":{"stringValue":"dlq.orders"}}')
  expect(raw).toContain('{"key":"service.name","value":{"stringValue":"redrive"}}')
  expect(raw).not.toContain('MARK')
}, 300_000)

it('a collector that never answers is told of once, and holds nothing up', async () => {
  const { stub, problems, running } = await planeWith('1s', () => {})
  const host = new URL(stub.url).host
  await until('the third try', () => stub.requests.length >= 3)
  expect(problems.filter((problem) => problem.startsWith('otlp:'))).toEqual([
    `otlp: ${host} is not told what is counted. It took too long.`,
  ])
  expect((await fetch(`${running.address}/readyz`)).status).toBe(200)
  await running.close()
}, 300_000)
