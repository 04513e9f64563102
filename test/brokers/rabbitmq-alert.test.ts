import { expect, it, onTestFinished, vi } from 'vitest'
import { createSink } from '../../src/notifiers/kinds.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { startAlertingPlane } from '../alerts/alerting-plane.ts'
import { mailPassword, mailUser, openMailbox } from '../alerts/mailbox.ts'
import { openStub } from '../alerts/stub.ts'
import { until } from '../until.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost } from './rabbitmq.ts'

const [work, dlq] = ['patients', 'dlq.patients']
const patient = 'MARK patient Jane Doe 4111111111111111'

await onBrokers('rabbitmq', ['4.0'], (broker) => {
  it('seed 000 alert end to end: a rejected message on RabbitMQ is a mail and a post, with its correlation id and nothing of its content', async () => {
    const vhost = await createVhost(broker)
    const [mailbox, stub] = [await openMailbox(), await openStub()]
    const transport = rabbitmq({ url: vhost.url })
    const mail = { host: '127.0.0.1', port: mailbox.port, security: 'none', user: mailUser, password: mailPassword }
    const sinks = [
      createSink('mail', 'mail', { ...mail, from: 'redrive@example.com', to: 'admin@example.com' }, { clock: systemClock }),
      createSink(
        'hook',
        'webhook',
        { url: stub.url, apiKey: 'key', allowAddresses: ['127.0.0.1'], allowPorts: [stub.port] },
        { clock: systemClock },
      ),
    ]
    await vhost.barely(async (channel) => {
      await channel.assertQueue(dlq, { durable: true, arguments: { 'x-queue-type': 'quorum' } })
      const deadLettering = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': dlq, 'x-queue-type': 'quorum' }
      await channel.assertQueue(work, { durable: true, arguments: deadLettering })
    })
    // So seldom that only the letter which is kept makes it look again, when its correlation id is known.
    const alerting = await startAlertingPlane({ transport, queues: [dlq], mode: 'collect', sinks, probeEvery: 3_600_000 })
    onTestFinished(async () => {
      await alerting.close()
      await transport.close()
      await Promise.all([mailbox.close(), stub.close()])
    })

    await vhost.barely(async (channel) => {
      const headers = { 'x-patient': patient, key: patient, error: `Error: ${patient}` }
      const properties = { correlationId: 'order-4711', messageId: 'm-1', headers }
      channel.sendToQueue(work, Buffer.from(JSON.stringify({ patient })), properties)
      await channel.waitForConfirms()
      const taken = await vi.waitUntil(() => channel.get(work), { timeout: 120_000, interval: 50 })
      if (taken) channel.nack(taken, false, false)
    })
    await until('a mail and a post', () => mailbox.mails.length > 0 && stub.requests.length > 0)

    const [told] = mailbox.mails
    expect(told?.headers).toContain(`Subject: [CRITICAL] Poison message detected in DLQ ${dlq}`)
    expect(told?.text).toContain(`1 or more messages found in Dead-Letter Queue ${dlq}. Manual intervention required.`)
    expect(told?.text).toContain('Component: RabbitMQ')
    expect(told?.text).toContain('Correlation IDs: order-4711')
    expect(stub.requests[0]?.json).toMatchObject({ severity: 'CRITICAL', status: 'firing', reason: 'first' })
    const left = mailbox.mails.map(({ raw, text }) => raw + text).concat(stub.requests.map(({ raw }) => raw))
    expect(left.join()).not.toMatch(/MARK|Jane|4111/)
    const rows = await alerting.vault.read('listDeliveries', { limit: 100 })
    expect(JSON.stringify(rows)).not.toMatch(/MARK|Jane|4111/)
  }, 600_000)
})
