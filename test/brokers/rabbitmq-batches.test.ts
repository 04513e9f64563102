import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { folderStore } from '../../src/claim-check/folder-store.ts'
import { readReference } from '../../src/core/body-reference.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { createProducer } from '../../src/runtime/producer.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { brokerForTests } from './broker-for-tests.ts'
import { createVhost } from './rabbitmq.ts'
import { rabbitmqVersions } from './rabbitmq-subjects.ts'

/** Batches of large messages, on a real broker. */
interface Row {
  readonly n: number
  readonly text: string
}

const rows = 30
const bad = 17
const text = 'x'.repeat(120_000)

for (const version of rabbitmqVersions) {
  const broker = await brokerForTests('rabbitmq', version)
  if ('notRun' in broker) {
    test(broker.notRun, () => expect(process.env['CI']).toBeFalsy())
    continue
  }
  const vhost = await createVhost(broker)
  const folder = mkdtempSync(join(tmpdir(), 'redrive-bodies-'))
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await broker.stop()
  })

  describe.each(['quorum', 'classic'] as const)(`on RabbitMQ ${version}, %s queues`, (queueType) => {
    test('one bad message of a batch that throws becomes one letter with its reference; all others are done', {
      timeout: 360_000,
    }, async () => {
      const work = `batches.${queueType}`
      const RowMade = defineMessage<Row>('row', undefined, { channel: work })
      const transport = rabbitmq({ url: vhost.url, queueType, maxBody: 100_000 })
      const store = folderStore({ folder })
      const consumer = createConsumer({ transport, service: 'tests', logger: false, claimCheck: { store } })
      const done = new Set<number>()
      const retry = { delayed: { retries: 1, backoff: { kind: 'fixed', first: '100ms', jitter: 0 } } } as const
      consumer.channel(work, { deadLetter: `${work}.dead`, concurrency: 2, retry }).onBatch(
        RowMade,
        (messages) => {
          if (messages.some(({ value }) => value.n === bad)) throw new Error('a row is bad')
          for (const { value } of messages) if (value.text === text) done.add(value.n)
          return messages.map((message) => message.done())
        },
        { size: 20, wait: '500ms' },
      )
      const buried: unknown[] = []
      consumer.on('dead-lettered', ({ reason, attempt }) => void buried.push({ reason, attempt }))
      await consumer.start()
      consumer.pause(work)
      const producer = createProducer({ transport, claimCheck: { store, over: 50_000 } })
      for (let n = 0; n < rows; n++) await producer.send(RowMade, { n, text })
      consumer.resume(work)
      await vi.waitFor(() => expect([done.size, buried.length]).toEqual([rows - 1, 1]), { timeout: 120_000 })
      await consumer.stop()
      await transport.close()
      expect(buried).toEqual([{ reason: 'MaxDeliveryCountExceeded', attempt: 2 }])
      const letter = await vhost.barely((channel) => channel.get(`${work}.dead`))
      const headers = Object.entries(letter ? (letter.properties.headers ?? {}) : {}) as [string, string][]
      const { key = '', bytes } = readReference(headers) ?? {}
      expect(bytes).toBe(JSON.stringify({ n: bad, text }).length)
      expect(readdirSync(join(folder, key.slice(0, 10)))).toContain(key.slice(11))
    })
  })
}
