import { describe, expect, test } from 'vitest'
import { createConsumer } from '../../src/runtime/consumer.ts'
import type { Context } from '../../src/runtime/context.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost } from './rabbitmq.ts'
import { rabbitmqVersions } from './rabbitmq-subjects.ts'
import { tcpProxy } from './tcp-proxy.ts'

const Job = defineMessage('job')
const neighbours = 30

await onBrokers('rabbitmq', rabbitmqVersions, (broker, version) => {
  describe.each(['quorum', 'classic'] as const)(`on RabbitMQ ${version}, %s queues`, (queueType) => {
    test('a message that kills its consumer is dead-lettered after its budget, and none of its neighbours', {
      timeout: 240_000,
    }, async () => {
      const vhost = await createVhost(broker)
      const proxy = await tcpProxy(vhost.port)
      const transport = rabbitmq({ url: vhost.url.replace(`:${vhost.port}`, `:${proxy.port}`), queueType })
      const producer = rabbitmq({ url: vhost.url, queueType })
      const consumer = createConsumer({ transport, service: 'tests', logger: false })
      const attempts: number[] = []
      const done = new Set<unknown>()
      const reasons: string[] = []
      consumer.on('dead-lettered', ({ reason }) => void reasons.push(reason))
      consumer
        .channel('work', { deadLetter: 'dead', prefetch: 20, concurrency: 20 })
        .on(Job, async (value: unknown, ctx: Context) => {
          if (value !== 'poison') return void done.add(value)
          attempts.push(ctx.attempt)
          // To the broker, this is what the death of a process looks like.
          proxy.cut()
          await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }))
        })
      await consumer.start()
      const send = (value: unknown) =>
        producer.send(
          { name: 'work' },
          { type: 'job', contentType: 'application/json', body: Buffer.from(JSON.stringify(value)), headers: [] },
        )
      for (let n = 0; n < neighbours / 2; n++) await send(n)
      await send('poison')
      for (let n = neighbours / 2; n < neighbours; n++) await send(n)
      await expect.poll(() => reasons).toEqual(['PoisonMessage'])
      await expect.poll(() => done.size).toBe(neighbours)
      // The first death may be a neighbour's doing and is not counted; then three turns alone.
      expect(attempts).toEqual([1, 1, 2, 3])
      await consumer.stop()
      expect(await vhost.barely((channel) => channel.checkQueue('dead'))).toMatchObject({ messageCount: 1 })
      expect(await vhost.barely((channel) => channel.checkQueue('work'))).toMatchObject({ messageCount: 0 })
      await Promise.all([transport.close(), producer.close()])
      await proxy.close()
    })
  })
})
