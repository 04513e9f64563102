import { setImmediate as tick } from 'node:timers/promises'
import type { Channel } from 'amqplib'
import { startBroker } from '../scripts/brokers/start.ts'
import { createMonitor, type Monitor, mail, type Notifier, webhook } from '../src/monitor/monitor.ts'
import { createConsumer } from '../src/runtime/consumer.ts'
import { defineMessage } from '../src/runtime/define-message.ts'
import { rabbitmq } from '../src/transports/rabbitmq/rabbitmq.ts'
import { type Mailbox, mailPassword, mailUser, openMailbox } from '../test/alerts/mailbox.ts'
import { apiKey, openReceiver } from '../test/alerts/receiver.ts'
import { createVhost } from '../test/brokers/rabbitmq.ts'
import { printStages } from './stages.ts'

/**
 * How long seed 000's sequence takes once the last attempt has failed: until the broker took the rejection, until the letter lies in
 * the dead-letter queue (as a bare client sees it that asks without a pause), until the monitor in the consumer's process has seen it,
 * and until the webhook and the mail server have the alert. One poison message a run, on an empty dead-letter queue.
 */
const stages = ['rejection taken', 'letter in the DLQ', 'seen by the monitor', 'webhook received', 'mail received'] as const
type Stage = (typeof stages)[number]
type Milliseconds = Readonly<Record<Stage, number>>

const [work, dlq] = ['patients', 'dlq.patients']
const Patient = defineMessage<string>('patient')

export async function seed000(runs: number): Promise<object> {
  const broker = await startBroker('rabbitmq', { version: '4.0' })
  const vhost = await createVhost(broker)
  const [mailbox, receiver] = [await openMailbox(), await openReceiver()]
  const transport = rabbitmq({ url: vhost.url })
  const consumer = createConsumer({ transport, service: 'bench', logger: false })
  // Nothing but failures looks like an outage, for which a breaker would rightly pause the channel.
  const retry = { immediate: 3, delayed: { retries: 0 } }
  consumer.channel(work, { deadLetter: dlq, deadLettering: 'native', retry, breaker: false }).on(Patient, () => {
    throw new Error('The database is away')
  })
  const measured: Milliseconds[] = []
  try {
    await consumer.start()
    await vhost.barely(async (channel) => {
      // The first run warms up the code, and counts for nothing.
      for (let run = 0; run <= runs; run++) {
        await channel.purgeQueue(dlq)
        const result = await oneRun(channel)
        if (run > 0) measured.push(result)
      }
    })
  } finally {
    await consumer.stop()
    await transport.close()
    await Promise.all([mailbox.close(), receiver.close()])
    await broker.stop()
  }
  const title = `seed-000 on RabbitMQ ${broker.version}, quorum queue, ${measured.length} runs: milliseconds since the last attempt failed`
  return printStages(title, stages, measured)

  async function oneRun(channel: Channel): Promise<Milliseconds> {
    const at = new Map<Stage | 'failed', number>()
    const reached = (stage: Stage | 'failed') => () => void (at.has(stage) || at.set(stage, performance.now()))
    const listening = [consumer.on('burying', reached('failed')), consumer.on('dead-lettered', reached('rejection taken'))]
    const monitor = await startMonitor(reached('seen by the monitor'))
    const [posts, mails] = [receiver.posts.length, mailbox.mails.length]
    const body = Buffer.from('"poison"')
    await transport.send({ name: work }, { body, headers: [], correlationId: crypto.randomUUID() })
    while (at.size <= stages.length) {
      if (!at.has('letter in the DLQ') && (await channel.checkQueue(dlq)).messageCount > 0) reached('letter in the DLQ')()
      if (receiver.posts.length > posts) reached('webhook received')()
      if (mailbox.mails.length > mails) reached('mail received')()
      await tick()
    }
    await monitor.stop()
    for (const stop of listening) stop()
    const failed = at.get('failed') ?? Number.NaN
    return Object.fromEntries(stages.map((stage) => [stage, (at.get(stage) ?? Number.NaN) - failed])) as Milliseconds
  }

  async function startMonitor(seen: () => void): Promise<Monitor> {
    const notify = [seenBy(seen), mailTo(mailbox), webhook({ url: receiver.url, apiKey })]
    const monitor = createMonitor({ transport, channels: [dlq], component: 'RabbitMQ', consumer, notify, logger: false })
    await monitor.start()
    await monitor.probe()
    return monitor
  }
}

function seenBy(seen: () => void): Notifier {
  return {
    name: 'stopwatch',
    async send() {
      seen()
      return { kind: 'sent' }
    },
  }
}

function mailTo({ port }: Mailbox): Notifier {
  const credentials = { user: mailUser, password: mailPassword, security: 'none' } as const
  return mail({ host: '127.0.0.1', port, ...credentials, from: 'dmps@example.com', to: 'admin@example.com' })
}
