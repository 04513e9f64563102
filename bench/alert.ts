import { setImmediate as tick } from 'node:timers/promises'
import type { Channel } from 'amqplib'
import { startBroker } from '../scripts/brokers/start.ts'
import { createSink } from '../src/notifiers/kinds.ts'
import type { Sink } from '../src/notifiers/sink.ts'
import { systemClock } from '../src/platform/clock.ts'
import { rabbitmq } from '../src/transports/rabbitmq/rabbitmq.ts'
import { startAlertingPlane } from '../test/alerts/alerting-plane.ts'
import { mailPassword, mailUser, openMailbox } from '../test/alerts/mailbox.ts'
import { openStub } from '../test/alerts/stub.ts'
import { createVhost } from '../test/brokers/rabbitmq.ts'
import { printStages } from './stages.ts'

/**
 * How long it takes from the rejection of a message, by a client that knows nothing of us, until a mail server and a webhook have the control plane's
 * alert: through the broker, the probe, the rules, the vault and the outbox. The dead-letter queue is only watched, every 250 ms. Each run has a control plane and
 * a vault of its own, since an alert that is up is told once.
 */
const stages = ['letter in the DLQ', 'webhook received', 'mail accepted'] as const
type Stage = (typeof stages)[number]
type Milliseconds = Readonly<Record<Stage, number>>

const [work, dlq] = ['patients', 'dlq.patients']
const probeEvery = 250

export async function alertBench(runs: number): Promise<object> {
  const broker = await startBroker('rabbitmq', { version: '4.0' })
  const vhost = await createVhost(broker)
  const [mailbox, stub] = [await openMailbox(), await openStub()]
  const transport = rabbitmq({ url: vhost.url })
  const measured: Milliseconds[] = []
  try {
    await vhost.barely(async (channel) => {
      await declareQueues(channel)
      // The first run warms up the code, and counts for nothing.
      for (let run = 0; run <= runs; run++) {
        await channel.purgeQueue(dlq)
        const result = await oneRun(channel)
        if (run > 0) measured.push(result)
      }
    })
  } finally {
    await transport.close()
    await Promise.all([mailbox.close(), stub.close()])
    await broker.stop()
  }
  const title = `alert on RabbitMQ ${broker.version}, quorum queue, a probe every ${probeEvery} ms, ${measured.length} runs: milliseconds since the rejection`
  return printStages(title, stages, measured)

  async function oneRun(channel: Channel): Promise<Milliseconds> {
    const alerting = await startAlertingPlane({ transport, queues: [dlq], mode: 'watch', sinks: sinks(), probeEvery })
    const [posts, mails] = [stub.requests.length, mailbox.mails.length]
    channel.sendToQueue(work, Buffer.from('"poison"'), { correlationId: crypto.randomUUID() })
    let taken = await channel.get(work)
    while (!taken) taken = await channel.get(work)
    // Anywhere between two probes.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * probeEvery))
    const at = new Map<Stage, number>()
    const reached = (stage: Stage): void => void (at.has(stage) || at.set(stage, performance.now() - begun))
    const begun = performance.now()
    channel.nack(taken, false, false)
    while (at.size < stages.length) {
      if (!at.has('letter in the DLQ') && (await channel.checkQueue(dlq)).messageCount > 0) reached('letter in the DLQ')
      if (stub.requests.length > posts) reached('webhook received')
      if (mailbox.mails.length > mails) reached('mail accepted')
      await tick()
    }
    await alerting.close()
    return Object.fromEntries(at) as Milliseconds
  }

  function sinks(): readonly Sink[] {
    const mail = { host: '127.0.0.1', port: mailbox.port, security: 'none', user: mailUser, password: mailPassword }
    const hook = { url: stub.url, allowAddresses: ['127.0.0.1'], allowPorts: [stub.port] }
    const ports = { clock: systemClock }
    return [
      createSink('mail', 'mail', { ...mail, from: 'redrive@example.com', to: 'admin@example.com' }, ports),
      createSink('hook', 'webhook', hook, ports),
    ]
  }
}

async function declareQueues(channel: Channel): Promise<void> {
  const quorum = { 'x-queue-type': 'quorum' }
  await channel.assertQueue(dlq, { durable: true, arguments: quorum })
  const deadLettering = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': dlq }
  await channel.assertQueue(work, { durable: true, arguments: { ...quorum, ...deadLettering } })
}
