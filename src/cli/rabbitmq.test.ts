import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Broker } from '../../scripts/brokers/start.ts'
import { onBrokers } from '../../test/brokers/on-brokers.ts'
import { createVhost, type Vhost } from '../../test/brokers/rabbitmq.ts'
import { rabbitmqVersions } from '../../test/brokers/rabbitmq-subjects.ts'
import { type Workplace, workplace } from '../../test/cli/run-redrive.ts'
import { createConsumer } from '../runtime/consumer.ts'
import { defineMessage } from '../runtime/define-message.ts'
import { type QueueType, rabbitmq } from '../transports/rabbitmq/rabbitmq.ts'

/** Seed 002's settlement queue: durable, named, five minutes to live. */
const channel = {
  name: 'settlement.requested',
  deadLetter: 'dlq.settlement.requested',
  invalid: 'invalid.settlement.requested',
  ttl: '5m',
  maxHold: '4m',
}

await onBrokers('rabbitmq', rabbitmqVersions, (broker, version) => {
  describe.each<QueueType>(['quorum', 'classic'])(
    `redrive on RabbitMQ ${version}, %s queues`,
    { timeout: 240_000 },
    (queueType) => {
      commands(broker, queueType)
    },
  )
  describe(`redrive on RabbitMQ ${version}, when it cannot ask`, { timeout: 240_000 }, () => failures(broker))
})

interface Place extends Workplace {
  readonly vhost: Vhost
}

/** An empty virtual host, and a folder with a topology file for it. */
async function place(broker: Broker, connection: object, channels: readonly object[] = [channel]): Promise<Place> {
  const vhost = await createVhost(broker)
  const here = workplace({ RABBITMQ_URL: vhost.url })
  const { management } = vhost
  here.write('redrive.topology.json', {
    transport: 'rabbitmq',
    connection: { url: '$' + '{RABBITMQ_URL}', management, ...connection },
    channels,
  })
  return { ...here, vhost }
}

function commands(broker: Broker, queueType: QueueType): void {
  let here: Place
  beforeAll(async () => {
    here = await place(broker, { queueType })
  })
  afterAll(() => here.remove())
  /** A classic queue hands over at most once, and check never keeps quiet about that. */
  const remaining = queueType === 'classic' ? ['warning dead-letter-at-most-once'] : []

  test('check tells that all is missing, apply makes it and says so, and check is clean', async () => {
    expect(await here.told('topology', 'check')).toEqual(Array(3).fill('missing channel-missing'))
    const made = [...Array(3).fill('created channel-created'), 'created delay-created']
    expect(await here.told('topology', 'apply')).toEqual([...remaining, ...made])
    expect(await here.told('topology', 'check')).toEqual(remaining)
    expect(await here.redrive('topology', 'check')).toMatchObject({ status: remaining.length })
  })

  test('exported definitions, imported into an empty virtual host, are clean', async () => {
    const { status, out } = await here.redrive('topology', 'export')
    expect(status).toBe(0)
    const other = await place(broker, { queueType })
    await other.vhost.manage('POST', `definitions/${other.vhost.name}`, JSON.parse(out))
    expect(await other.told('topology', 'check')).toEqual(remaining)
    expect(await other.told('topology', 'apply')).toEqual(remaining)
    other.remove()
  })

  test('an export that leaves out a binding would not be clean', async () => {
    const { bindings, ...rest } = JSON.parse((await here.redrive('topology', 'export')).out)
    const other = await place(broker, { queueType })
    await other.vhost.manage('POST', `definitions/${other.vhost.name}`, { ...rest, bindings: bindings.slice(1) })
    expect(await other.told('topology', 'check')).toContain('missing delay-unbound')
    other.remove()
  })

  test('what the definitions hold is what apply declared', async () => {
    const exported = JSON.parse((await here.redrive('topology', 'export')).out)
    const declared = (await here.vhost.manage('GET', `definitions/${here.vhost.name}`)) as Record<string, { name?: string }[]>
    for (const kind of ['exchanges', 'queues', 'bindings']) {
      const byText = (parts: readonly object[]) => parts.map((part) => sorted(part)).sort()
      expect(byText(exported[kind])).toEqual(byText(declared[kind] ?? []))
    }
  })

  test('seed 002: the work queue lives five minutes and names its dead-letter exchange, and its dead-letter queue is durable', async () => {
    const queues = (await here.vhost.manage('GET', `queues/${here.vhost.name}`)) as { name: string }[]
    const named = (name: string) => queues.find((queue) => queue.name === name)
    const deadLetters = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': channel.deadLetter }
    expect(named(channel.name)).toMatchObject({ durable: true, arguments: { 'x-message-ttl': 300_000, ...deadLetters } })
    expect(named(channel.deadLetter)).toMatchObject({ durable: true, auto_delete: false, exclusive: false })
  })

  test('a consumer with the same options starts on it with a check alone', async () => {
    const transport = rabbitmq({ url: here.vhost.url, queueType })
    const { name, ...options } = channel
    const consumer = createConsumer({ transport, service: 'payments', logger: false, provision: 'check' })
    consumer.channel(name, options).on(defineMessage('settlement'), async () => {})
    await consumer.start()
    await consumer.stop()
    await transport.close()
  })

  test('Terraform gets the virtual host and every queue, without a question to the broker', async () => {
    const offline = workplace()
    const connection = { url: 'amqp://nobody:hunter2@no-such-host.invalid/shop', queueType }
    offline.write('redrive.topology.json', { transport: 'rabbitmq', connection, channels: [channel] })
    const { status, out } = await offline.redrive(
      'topology',
      'export',
      '--format',
      'terraform',
      '--broker-version',
      broker.version,
    )
    expect(status).toBe(0)
    expect(out).toContain('default = "shop"')
    expect(out).toContain('name  = "dlq.settlement.requested"')
    expect(out).not.toContain('hunter2')
    offline.remove()
  })

  test('the doctor finds nothing worse than what check found, and that the user may do too much', async () => {
    const told = await here.told('doctor')
    // The owner of the test's broker may do everything.
    const ofTheUser = ['warning default-user', 'warning rights-too-wide', 'warning management-too-wide']
    expect(told.filter((line) => /^(fatal|missing|warning) /.test(line))).toEqual([...remaining, ...ofTheUser])
    expect(told).toEqual(expect.arrayContaining(['fine version', 'fine alarms', 'unknown consumer-timeout-unseen']))
  })
}

function sorted(part: object): string {
  return JSON.stringify(part, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}

function failures(broker: Broker): void {
  test.each<[string, object, string]>([
    ['a wrong password', { url: broker.url.replace('guest:guest', 'guest:hunter2') }, 'access-denied'],
    ['a port where nobody listens', { url: 'amqp://guest:hunter2@127.0.0.1:1', connectWithin: '200ms' }, 'unreachable'],
    ['a management API that does not answer', { management: unreachable('http://127.0.0.1:1') }, 'unreachable'],
    ['a management password that is wrong', { management: unreachable(broker.managementUrl ?? '') }, 'access-denied'],
    ['a url that is none', { url: 'hunter2:not a url' }, 'bad-option'],
  ])('%s is exit code 2, with its code and without the password', async (_, connection, code) => {
    const here = await place(broker, connection)
    for (const args of [
      ['topology', 'check'],
      ['topology', 'apply'],
      ['topology', 'check', '--json'],
    ]) {
      const { status, out, err } = await here.redrive(...args)
      expect([status, `${out}${err}`]).toEqual([2, expect.stringContaining(code)])
      expect(`${out}${err}`).not.toContain('hunter2')
    }
    here.remove()
  })

  test('the process itself ends with the exit code, and its JSON is one line without colours', async () => {
    const here = await place(broker, {})
    const env = { PATH: process.env['PATH'] ?? '', RABBITMQ_URL: here.vhost.url, FORCE_COLOR: '1' }
    const entry = `${process.cwd()}/src/cli/redrive.ts`
    const { status, stdout, stderr } = spawnSync(process.execPath, [entry, 'topology', 'check', '--json'], {
      cwd: here.folder,
      env,
    })
    expect([status, String(stderr)]).toEqual([1, ''])
    expect(JSON.parse(String(stdout))).toMatchObject({ command: 'topology check', transport: 'rabbitmq', clean: false })
    expect(String(stdout).split('\n')).toHaveLength(2)
    here.remove()
  })
}

function unreachable(url: string): object {
  return { url: URL.canParse(url) ? new URL(url).origin : url, user: 'guest', password: 'hunter2' }
}
