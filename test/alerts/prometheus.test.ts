import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { promtool } from '../../scripts/brokers/prometheus.ts'
import type { Broker } from '../../scripts/brokers/start.ts'
import { prometheusText } from '../../src/core/metrics/prometheus-text.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { drawSecurely, drawToken, fingerprintOf } from '../../src/server/secrets.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import { brokerForTests, onlyListing } from '../brokers/broker-for-tests.ts'
import { createWorld } from '../server/server.fixture.ts'
import { until } from '../until.ts'
import { openStub } from './stub.ts'

const rules = 'deploy/prometheus/redrive-rules.yml'
const tests = 'deploy/prometheus/redrive-rules.test.yml'

async function testRules(change: (rules: string) => string): Promise<{ ok: boolean; output: string }> {
  const program = promtool()
  if (program === undefined) throw new Error('promtool is not here: npm run brokers -- install prometheus')
  const folder = mkdtempSync(join(tmpdir(), 'redrive-rules-'))
  writeFileSync(join(folder, 'redrive-rules.yml'), change(readFileSync(rules, 'utf8')))
  writeFileSync(join(folder, 'test.yml'), readFileSync(tests, 'utf8'))
  const ended = await new Promise<{ ok: boolean; output: string }>((resolve) => {
    execFile(program, ['test', 'rules', join(folder, 'test.yml')], (error, out, err) =>
      resolve({ ok: !error, output: out + err }),
    )
  })
  rmSync(folder, { recursive: true })
  return ended
}

const broker = await startAll()

if ('notRun' in broker) {
  test(broker.notRun, () => expect(process.env['CI']).toBeFalsy())
} else {
  describe('the Prometheus rules in deploy', () => {
    it('alert at the thresholds of the seeds, and not before', async () => {
      expect(await testRules((text) => text)).toMatchObject({ ok: true })
    }, 300_000)

    it.each([
      ['one letter is none', 'redrive_unresolved_letters > 0', 'redrive_unresolved_letters > 1'],
      ['100 letters warn', '> 100\n', '> 99\n'],
      ['1000 letters are critical', '> 1000\n', '> 999\n'],
      ['1 % is 3 %', 'ratio1h > 0.01', 'ratio1h > 0.03'],
      ['few messages count', '>= 100)', '>= 0)'],
    ])(
      'and would be seen if %s',
      async (_, from, to) => {
        expect(await testRules((text) => text.replaceAll(from, to))).toMatchObject({ ok: false })
      },
      300_000,
    )
  })

  describe('a real Prometheus that scrapes a consumer and the control plane', () => {
    beforeAll(() => broker.letTwoRoundsFail(), 600_000)
    afterAll(() => broker.stop())

    it.each([
      ['seed 001 query: total messages dead-lettered', 'sum(messages_deadlettered_total)'],
      ['seed 001 query: dead-letter rate by reason', 'rate(messages_deadlettered_total[5m])'],
      [
        'seed 001 query: dead-letter ratio',
        'sum by (queue_name) (rate(messages_deadlettered_total[5m])) / sum by (queue_name) (rate(messages_received_total[5m]))',
      ],
    ])(
      '%s',
      async (name, query) => {
        await until(name, async () => Number((await broker.ask(query))[0]?.value[1]) > 0)
      },
      300_000,
    )

    it('the ratio as seed 001 writes it compares series whose labels differ, and is empty', async () => {
      expect(await broker.ask('rate(messages_deadlettered_total[5m]) / rate(messages_received_total[5m])')).toEqual([])
    })

    it('scrapes the control plane with a token, and fires the rule about its letters', async () => {
      const letters = 'redrive_unresolved_letters{queue_name="dlq.orders"}'
      const firing = 'ALERTS{alertname="RedriveLettersInDeadLetterQueue",alertstate="firing",queue_name="dlq.orders"}'
      for (const query of [letters, firing]) await until(query, async () => (await broker.ask(query)).length === 1)
    }, 300_000)

    it('answers every query of the Grafana dashboard, with something in all that are about letters', async () => {
      const { panels } = JSON.parse(readFileSync('deploy/grafana/redrive-dashboard.json', 'utf8')) as Dashboard
      // No notifier is configured here, so there is nothing about any.
      for (const { expr } of panels.filter(({ title }) => title !== 'Notifications').flatMap(({ targets }) => targets))
        await until(expr, async () => (await broker.ask(expr)).length > 0)
      for (const { expr } of panels.find(({ title }) => title === 'Notifications')?.targets ?? expect.unreachable())
        expect(await broker.ask(expr)).toEqual([])
    }, 900_000)
  })
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

type Answer = readonly { readonly metric: Readonly<Record<string, string>>; readonly value: readonly [number, string] }[]

interface Scraping {
  /** Prometheus has seen letters come twice, so that there is a rate. */
  letTwoRoundsFail(): Promise<void>
  ask(query: string): Promise<Answer>
  stop(): Promise<void>
}

/** A consumer whose messages fail, a server with letters, and Prometheus, which asks both of them every second. */
async function startAll(): Promise<Scraping | { readonly notRun: string }> {
  if (onlyListing) return { letTwoRoundsFail: async () => {}, ask: async () => [], stop: async () => {} }
  const transport = memory()
  const consumer = createConsumer({ transport, service: 'test', logger: false })
  const Order = defineMessage<string>('order')
  consumer.channel('orders', { deadLetter: 'dlq.orders', retry: { immediate: 0, delayed: { retries: 0 } } }).on(Order, () => {
    throw new RangeError('no')
  })
  const metrics = await openStub((response) => response.end(prometheusText(consumer.metrics())))
  const world = await createWorld()
  const token = await tokenIn(world)
  const address = new URL(await world.server.listen())
  const settings = [
    `rule_files: ["${join(process.cwd(), rules)}"]`,
    'scrape_configs:',
    `  - { job_name: consumer, static_configs: [{ targets: ["127.0.0.1:${metrics.port}"] }] }`,
    `  - { job_name: redrive, authorization: { credentials: "${token}" }, static_configs: [{ targets: ["${address.host}"] }] }`,
  ]
  const started = await brokerForTests('prometheus', '2.42', { settings })
  if ('notRun' in started) return started
  await consumer.start()
  return { letTwoRoundsFail, ask: (query) => askAt(started, query), stop }

  async function letTwoRoundsFail(): Promise<void> {
    for (const letters of [3, 6]) {
      for (let n = 0; n < 3; n++) await transport.send({ name: 'orders' }, { body: Buffer.from('"x"'), headers: [] })
      await until(`${letters} letters are seen`, () => seen(letters), 240_000)
    }
  }

  async function seen(letters: number): Promise<boolean> {
    const [found] = await askAt(started as Broker, 'sum(messages_deadlettered_total)')
    return Number(found?.value[1]) === letters
  }

  async function stop(): Promise<void> {
    await (started as Broker).stop()
    await consumer.stop()
    await transport.close()
    await metrics.close()
    await world.close()
  }
}

async function askAt({ url }: Broker, query: string): Promise<Answer> {
  const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query })}`)
  const { status, data } = (await response.json()) as { status: string; data: { result: Answer } }
  expect([query, status]).toEqual([query, 'success'])
  return data.result
}

async function tokenIn({ vault, clock, person }: Awaited<ReturnType<typeof createWorld>>): Promise<string> {
  const { user } = await person({ role: 'viewer' })
  const token = drawToken(drawSecurely)
  const life = { now: clock.now(), expiresAt: clock.now() + 3_600_000 }
  const grant = { role: 'viewer', sources: ['*'], reveal: false }
  await vault.write('issueToken', {
    ...grant,
    ...life,
    user: user.id,
    name: 'prometheus',
    hash: fingerprintOf(token),
    last4: 'xxxx',
  })
  return token
}
