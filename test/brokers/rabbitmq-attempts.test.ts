import { describe, expect, test, vi } from 'vitest'
import { createConsumer } from '../../src/runtime/consumer.ts'
import type { Context } from '../../src/runtime/context.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost, type Vhost } from './rabbitmq.ts'
import { rabbitmqVersions } from './rabbitmq-subjects.ts'

/** Attempts are right whatever a message has been through before it came here. */
const Job = defineMessage('job')
const persistent = { persistent: true, type: 'job', contentType: 'application/json' }
const content = Buffer.from('{}')

interface Seen {
  readonly attempts: number[]
  readonly letters: () => Promise<number>
}

/** Bounds what hangs, and not what is slow. Milliseconds. */
const patience = 100_000

/** Runs a consumer whose handler always fails with something that is worth a retry, until its message is a letter. */
async function failUntilBuried(vhost: Vhost, work: string, queueType: 'quorum' | 'classic'): Promise<Seen> {
  const attempts: number[] = []
  const transport = rabbitmq({ url: vhost.url, queueType })
  const consumer = createConsumer({ transport, service: 'tests', logger: false })
  const retry = { immediate: 0, delayed: { retries: 2, backoff: { kind: 'fixed', first: '100ms', jitter: 0 } } } as const
  consumer.channel(work, { deadLetter: `${work}.dead`, retry }).on(Job, (_: unknown, ctx: Context) => {
    attempts.push(ctx.attempt)
    throw Object.assign(new Error('the database is away'), { code: 'ECONNRESET' })
  })
  const letters = async () => (await vhost.barely((channel) => channel.checkQueue(`${work}.dead`))).messageCount
  await consumer.start()
  await expect.poll(letters).toBeGreaterThan(0)
  await consumer.stop()
  await transport.close()
  return { attempts, letters }
}

async function provisioned(vhost: Vhost, work: string, queueType: 'quorum' | 'classic'): Promise<void> {
  const transport = rabbitmq({ url: vhost.url, queueType })
  const dead = { name: `${work}.dead` }
  const channels = [
    { address: dead, role: 'dead-letter' },
    { address: { name: work }, role: 'work', deadLetterTo: dead, maxTurns: 3 },
  ] as const
  await transport.provision({ channels }, 'apply')
  await transport.close()
}

await onBrokers('rabbitmq', rabbitmqVersions, async (broker, version) => {
  const vhost = await createVhost(broker)
  describe.each(['quorum', 'classic'] as const)(
    `on RabbitMQ ${version}, %s queues, a message has its full budget`,
    (queueType) => {
      const name = (what: string): string => `${queueType}-${what}`

      test('when its producer forged x-death and x-delivery-count', async () => {
        const work = name('forged')
        await provisioned(vhost, work, queueType)
        const death = { count: 99, queue: work, reason: 'rejected', exchange: '', 'routing-keys': [work] }
        const headers = { 'x-death': [death], 'x-delivery-count': 99 }
        await vhost.barely(async (channel) => channel.sendToQueue(work, content, { ...persistent, headers }))
        const { attempts, letters } = await failUntilBuried(vhost, work, queueType)
        expect([attempts, await letters()]).toEqual([[1, 2, 3], 1])
      })

      test('when it expired elsewhere and came here by dead-lettering', async () => {
        const [work, waiting] = [name('expired'), name('expired-elsewhere')]
        await provisioned(vhost, work, queueType)
        await vhost.barely(async (channel) => {
          const route = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': work, 'x-message-ttl': 50 }
          await channel.assertQueue(waiting, { arguments: { 'x-queue-type': queueType, ...route } })
          channel.sendToQueue(waiting, content, persistent)
        })
        const { attempts } = await failUntilBuried(vhost, work, queueType)
        expect(attempts).toEqual([1, 2, 3])
      })

      test('when it was shovelled from a queue that had delivered it often', async () => {
        const [work, before] = [name('shovelled'), name('shovelled-from')]
        await provisioned(vhost, work, queueType)
        await vhost.barely(async (channel) => {
          await channel.assertQueue(before, { arguments: { 'x-queue-type': 'quorum' } })
          channel.sendToQueue(before, content, persistent)
          for (let deliveries = 0; deliveries < 6; deliveries++) {
            const raw = await vi.waitFor(async () => (await channel.get(before)) || expect.unreachable(), patience)
            if (deliveries < 5) channel.nack(raw, false, true)
            else channel.sendToQueue(work, raw.content, { ...persistent, headers: raw.properties.headers })
          }
        })
        const { attempts } = await failUntilBuried(vhost, work, queueType)
        expect(attempts).toEqual([1, 2, 3])
      })

      test('when somebody sent its letter back as it is', async () => {
        const work = name('replayed')
        await provisioned(vhost, work, queueType)
        await vhost.barely(async (channel) => channel.sendToQueue(work, content, persistent))
        await failUntilBuried(vhost, work, queueType)
        await vhost.barely(async (channel) => {
          const letter = (await channel.get(`${work}.dead`)) || expect.unreachable('There is no letter.')
          const { headers, messageId, contentType, type } = letter.properties
          channel.sendToQueue(work, letter.content, { headers, messageId, contentType, type, persistent: true })
          channel.ack(letter)
          await channel.checkQueue(work)
        })
        const { attempts } = await failUntilBuried(vhost, work, queueType)
        expect(attempts).toEqual([1, 2, 3])
      })
    },
  )
})
