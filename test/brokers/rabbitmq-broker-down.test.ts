import { expect, it, onTestFinished, vi } from 'vitest'
import type { NotifiedAlert } from '../../src/core/alerts/notification.ts'
import { createSink } from '../../src/notifiers/kinds.ts'
import type { AlertStatus } from '../../src/ops/alerts/alert-status.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { type AlertingPlane, startAlertingPlane } from '../alerts/alerting-plane.ts'
import { openStub, type Stub } from '../alerts/stub.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost } from './rabbitmq.ts'

const queues = Array.from({ length: 50 }, (_, n) => `dlq.${n}`)
/** Long enough for a broker that starts on a busy machine. */
const patience = { timeout: 180_000, interval: 100 }

await onBrokers('rabbitmq', ['4.0'], (broker) => {
  it('RabbitMQ is down: one alert for it, its fifty queues are inhibited and unknown; when it is back, that is told', async () => {
    const vhost = await createVhost(broker)
    await vhost.barely(async (channel) => {
      for (const queue of queues) await channel.assertQueue(queue, { durable: true })
      channel.sendToQueue('dlq.0', Buffer.from('a letter'), { persistent: true })
      await channel.waitForConfirms()
    })
    const stub = await openStub()
    const transport = rabbitmq({ url: vhost.url })
    const hook = { url: stub.url, allowAddresses: ['127.0.0.1'], allowPorts: [stub.port] }
    const alerting = await startAlertingPlane({
      ...{ transport, queues, mode: 'watch', probeEvery: 1000 },
      sinks: [createSink('hook', 'webhook', hook, { clock: systemClock })],
      // Longer than any look takes: a queue whose probe failed waits for the broker to speak for it.
      timers: { wait: 30_000, interval: 2000, repeat: 4 * 3_600_000 },
    })
    onTestFinished(async () => {
      await alerting.close()
      await transport.close()
      await stub.close()
    })
    await vi.waitUntil(() => told(stub).has('dlq.any dlq.0 firing'), patience)

    const killedAt = Date.now()
    await broker.kill()
    await vi.waitUntil(() => told(stub).has('broker.down firing'), patience)
    await vi.waitUntil(async () => (await inhibited(alerting)).length === 50, patience)
    const since = (await alerting.plane.sources()).map(({ onBroker }) => ('unknownSince' in onBroker ? onBroker.unknownSince : 0))
    expect(since).toHaveLength(50)
    expect(since.every((time) => time >= killedAt)).toBe(true)
    expect(told(stub)).toEqual(new Set(['dlq.any dlq.0 firing', 'broker.down firing']))

    await broker.restart()
    await vi.waitUntil(() => told(stub).has('broker.down resolved'), patience)
    await vi.waitUntil(async () => (await inhibited(alerting)).length === 0, patience)
    const counts = (await alerting.plane.sources()).map(({ onBroker }) => ('letters' in onBroker ? onBroker.letters : undefined))
    expect(counts).toEqual([1, ...Array.from({ length: 49 }, () => 0)])
    expect([...told(stub)].filter((line) => line.includes('dlq.any') && line.includes('resolved'))).toEqual([])
  }, 400_000)
})

/** Everything that was told, but for what these queues' settings are told for, outage or not, as soon as its group had its wait. */
function told({ requests }: Stub): ReadonlySet<string> {
  const all = requests.flatMap(({ json }) => json.alerts as readonly NotifiedAlert[])
  const alerts = all.filter(({ rule }) => rule !== 'probe.unsafe')
  return new Set(alerts.map(({ rule, queue, status }) => [rule, ...(queue === undefined ? [] : [queue]), status].join(' ')))
}

async function inhibited({ plane }: AlertingPlane): Promise<readonly AlertStatus[]> {
  const open = await plane.alerts.list({ which: 'open', limit: 1000 })
  return open.filter(({ rule, mutedBy }) => rule === 'probe.failed' && mutedBy === 'inhibition')
}
