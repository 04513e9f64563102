import { describe, expect, test, vi } from 'vitest'
import { createMonitor, type Monitor, mail, webhook } from '../../src/monitor/monitor.ts'
import { text } from '../../src/runtime/codec.ts'
import { type Consumer, createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { type Mailbox, mailPassword, mailUser, openMailbox } from '../alerts/mailbox.ts'
import { apiKey, openReceiver, type Receiver } from '../alerts/receiver.ts'
import { type LogLine, recordingLogger } from '../testing-world.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost, type Vhost } from './rabbitmq.ts'
import { rabbitmqVersions } from './rabbitmq-subjects.ts'
import { tcpProxy } from './tcp-proxy.ts'

/**
 * The sequence of seed 000, from the malformed message to the mail, on a real broker: its queues are made by hand as the seed draws
 * them, the mail goes over SMTP with credentials, and the webhook asks for its API key.
 */
const [work, dlq, invalid] = ['patients', 'dlq.patients', 'invalid.patients']
const correlationId = '4f0d7a8e-5a53-4c1c-9a43-7d2b1c9e6f10'
/** Malformed, and of the kind that must not leave: the parser's own error quotes the name. */
const malformed = '{"patient":Jane Roe,"record":"MRN-00417-X"}'
const marks = ['Jane', 'Roe', 'MRN-00417']
const sentence = `1 or more messages found in Dead-Letter Queue ${dlq}. Manual intervention required.`
/** Nothing takes this long unless it never comes. */
const patience = 240_000

/** Exchange, queues and bindings, by a bare client. */
async function drawTopology(vhost: Vhost): Promise<void> {
  await vhost.barely(async (channel) => {
    await channel.assertExchange('dlx', 'direct', { durable: true })
    await channel.assertQueue(dlq, { durable: true })
    await channel.bindQueue(dlq, 'dlx', 'patients.dead')
    const route = { 'x-dead-letter-exchange': 'dlx', 'x-dead-letter-routing-key': 'patients.dead' }
    const quorum = { 'x-queue-type': 'quorum', 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' }
    await channel.assertQueue(work, { durable: true, arguments: { ...quorum, ...route, 'x-delivery-limit': 100 } })
  })
}

function publish(vhost: Vhost, contents: readonly string[], properties: object = {}): Promise<void> {
  return vhost.barely(async (channel) => {
    for (const content of contents) channel.sendToQueue(work, Buffer.from(content), { persistent: true, ...properties })
  })
}

async function letters(vhost: Vhost, queue: string): Promise<number> {
  return (await vhost.barely((channel) => channel.checkQueue(queue))).messageCount
}

interface Stage {
  readonly vhost: Vhost
  readonly logs: LogLine[]
  readonly mailbox: Mailbox
  readonly receiver: Receiver
  readonly transport: Transport
  readonly consumer: Consumer
  /** Watches through a way to the broker of its own, which `cutOff` ends. */
  monitor(channels: readonly string[]): Promise<Monitor>
  cutOff(): Promise<void>
}

function testOnStage(name: string, vhostOf: () => Promise<Vhost>, play: (stage: Stage) => Promise<void>): void {
  test(name, { timeout: 900_000 }, async () => {
    const vhost = await vhostOf()
    const [mailbox, receiver, proxy] = [await openMailbox(), await openReceiver(), await tcpProxy(vhost.port)]
    const logs: LogLine[] = []
    const logger = recordingLogger(logs)
    const transport = rabbitmq({ url: vhost.url, management: vhost.management })
    const probing = rabbitmq({ url: vhost.url.replace(`:${vhost.port}`, `:${proxy.port}`), connectWithin: '10s' })
    const consumer = createConsumer({ transport, service: 'DMPS', logger, provision: 'check' })
    const seesLetters = whenHeardOf(consumer, probing)
    const monitors: Monitor[] = []
    try {
      await play({
        vhost,
        logs,
        mailbox,
        receiver,
        transport,
        consumer,
        async monitor(channels) {
          const account = { user: mailUser, password: mailPassword, security: 'none', timeout: '1m' } as const
          const made = createMonitor({
            ...{
              transport: seesLetters,
              channels,
              consumer,
              logger,
              component: 'RabbitMQ',
              every: '200ms',
              probeTimeout: '1m',
              sendTimeout: '1m',
            },
            notify: [
              mail({ host: '127.0.0.1', port: mailbox.port, ...account, from: 'dmps@example.com', to: 'admin@example.com' }),
              webhook({ url: receiver.url, apiKey }),
            ],
          })
          monitors.push(made)
          await made.start()
          return made
        },
        cutOff: () => proxy.close(),
      })
    } finally {
      await consumer.stop()
      await Promise.all(monitors.map((monitor) => monitor.stop()))
      await Promise.all([transport.close(), probing.close()])
      await Promise.all([mailbox.close(), receiver.close(), proxy.close()])
      await vhost.remove()
    }
  })
}

/**
 * Letters are seen when the consumer has heard of them: an alert waits for a correlation id only for a moment, and on a busy machine the
 * broker may take longer to confirm a letter that it already counts.
 */
function whenHeardOf(consumer: Consumer, probing: Transport): Transport {
  const { promise: heard, resolve } = Promise.withResolvers<void>()
  consumer.on('dead-lettered', () => resolve())
  consumer.on('invalid', () => resolve())
  return {
    ...probing,
    async measure(address) {
      const measure = await probing.measure(address)
      if (measure.retained > 0) await heard
      return measure
    },
  }
}

/** Nothing that left the process quotes the message. */
function expectNoPayload({ logs, mailbox, receiver }: Stage): void {
  const left = JSON.stringify([logs, mailbox.mails.map(({ raw, text: body }) => [raw, body]), receiver.posts])
  for (const mark of marks) expect(left).not.toContain(mark)
}

await onBrokers('rabbitmq', rabbitmqVersions, (broker, version) => {
  const vhostOf = (): Promise<Vhost> => createVhost(broker)

  describe(`seed 000 on RabbitMQ ${version}`, () => {
    testOnStage(
      'a poison message is retried, rejected, dead-lettered and alerted about, and the queue flows',
      vhostOf,
      poisonStory,
    )
    testOnStage(
      'by default a message that does not decode is set apart without a run, and alerted about too',
      vhostOf,
      defaultStory,
    )
  })
})

async function poisonStory(stage: Stage): Promise<void> {
  const { vhost, consumer, logs, mailbox, receiver } = stage
  await drawTopology(vhost)
  const handled = new Set<string>()
  const aNeighbourPassed = Promise.withResolvers<void>()
  let runs = 0
  // No schema: the handler gets the text, parses it itself, and what fails is tried again in process.
  const Patient = defineMessage<string>('patient', undefined, { codec: text })
  consumer
    .channel(work, { deadLetter: dlq, deadLettering: 'native', retry: { immediate: 3, delayed: { retries: 0 } } })
    .on(Patient, async (content) => {
      const isPoison = content === malformed
      // In the middle of its retries the poison message waits for one that stands behind it: the queue flows, or this never ends.
      if (isPoison && ++runs === 2) await aNeighbourPassed.promise
      const { name } = JSON.parse(content)
      handled.add(name)
      if (name.startsWith('behind')) aNeighbourPassed.resolve()
    })
  await consumer.start()
  const monitor = await stage.monitor([dlq])

  const neighbours = (side: string): string[] => Array.from({ length: 20 }, (_, index) => `${side}-${index}`)
  const healthy = (side: string): string[] => neighbours(side).map((name) => JSON.stringify({ name }))
  await publish(vhost, healthy('before'))
  await vi.waitFor(() => expect(handled.size).toBe(20), patience)
  await publish(vhost, [malformed], { correlationId })
  await publish(vhost, healthy('behind'))

  await vi.waitFor(() => expect([mailbox.mails.length, receiver.posts.length]).toEqual([1, 1]), patience)
  await vi.waitFor(() => expect(handled).toEqual(new Set([...neighbours('before'), ...neighbours('behind')])), patience)
  expect(runs).toBe(4)
  expect(logged(logs, /^Log processing failure: Exception SyntaxError: .*, CorrelationID: (.+)$/)).toEqual(
    Array(4).fill(correlationId),
  )
  expect(logged(logs, /^(Final retry attempt failed\.) Preparing to reject message\.$/)).toHaveLength(1)

  const alert = {
    severity: 'CRITICAL',
    component: 'RabbitMQ',
    channel: dlq,
    message: sentence,
    count: 1,
    correlationIds: [correlationId],
  }
  const [post, letter] = [receiver.posts[0], mailbox.mails[0]]
  expect(post?.alert).toMatchObject({ ...alert, timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) })
  expect(letter).toMatchObject({ user: mailUser, to: ['admin@example.com'] })
  expect(letter?.headers).toContain(`Subject: [CRITICAL] Poison message detected in DLQ ${dlq}`)
  for (const part of [
    `Timestamp: ${post?.alert.timestamp}`,
    'Severity: CRITICAL',
    'Component: RabbitMQ',
    sentence,
    correlationId,
  ])
    expect(letter?.text).toContain(part)
  expectNoPayload(stage)

  await expectTheLetter(vhost)
  await expectFailedProbe(stage, monitor)
  expectNoPayload(stage)
}

/** The management API counts it, as the seed's own test does; the queue is durable; the message is whole and bears its death. */
async function expectTheLetter(vhost: Vhost): Promise<void> {
  await vi.waitFor(async () => {
    expect(await vhost.manage('GET', `queues/${vhost.name}/${dlq}`)).toMatchObject({ messages: 1, durable: true })
  }, patience)
  expect(await letters(vhost, work)).toBe(0)
  await vhost.barely(async (channel) => {
    const raw = (await channel.get(dlq)) || expect.unreachable('There is no letter.')
    expect(String(raw.content)).toBe(malformed)
    expect(raw.properties).toMatchObject({ correlationId, deliveryMode: 2 })
    expect(raw.properties.headers?.['x-death']).toMatchObject([{ queue: work, reason: 'rejected', count: 1 }])
    channel.nack(raw)
  })
}

/** However often it probes, the letter is one alert; out of reach is another one, and never an end of the first. */
async function expectFailedProbe({ mailbox, receiver, cutOff }: Stage, monitor: Monitor): Promise<void> {
  for (let probes = 0; probes < 5; probes++) await monitor.probe()
  expect([mailbox.mails.length, receiver.posts.length]).toEqual([1, 1])
  await cutOff()
  await vi.waitFor(() => expect([mailbox.mails.length, receiver.posts.length]).toEqual([2, 2]), patience)
  const { alert } = receiver.posts[1] ?? {}
  expect(alert).toMatchObject({
    rule: 'probe.failed',
    status: 'firing',
    message: expect.stringContaining(`${dlq} cannot be probed`),
  })
  expect(alert).not.toHaveProperty('count')
  expect(mailbox.mails[1]?.headers).toContain(`Subject: [WARNING] Failed to probe DLQ ${dlq}`)
  expect(monitor.status()).toEqual([{ channel: dlq, letters: undefined }])
}

async function defaultStory(stage: Stage): Promise<void> {
  const { vhost, consumer, receiver, mailbox } = stage
  await drawTopology(vhost)
  await vhost.barely((channel) => channel.assertQueue(invalid, { durable: true }))
  const handled: unknown[] = []
  consumer
    .channel(work, { deadLetter: dlq, invalid, retry: { delayed: { retries: 0 } } })
    .on(defineMessage<{ name: string }>('patient'), ({ name }) => void handled.push(name))
  await consumer.start()
  await stage.monitor([dlq, invalid])
  await publish(vhost, [malformed], { correlationId })
  await publish(vhost, ['{"name":"behind"}'])
  await vi.waitFor(() => expect([mailbox.mails.length, receiver.posts.length]).toEqual([1, 1]), patience)
  await vi.waitFor(() => expect(handled).toEqual(['behind']), patience)
  const message = `1 or more messages found in Dead-Letter Queue ${invalid}. Manual intervention required.`
  expect(receiver.posts[0]?.alert).toMatchObject({ channel: invalid, message, count: 1, correlationIds: [correlationId] })
  expect([await letters(vhost, dlq), await letters(vhost, invalid)]).toEqual([0, 1])
  expectNoPayload(stage)
}

/** What the first group of the pattern matched, in every line that does. */
function logged(logs: readonly LogLine[], pattern: RegExp): string[] {
  return logs.flatMap(({ level, message }) => (level === 'error' ? (pattern.exec(message)?.[1] ?? []) : []))
}
