import assert from 'node:assert/strict'
import { type Bench, messageOf } from '../bench.ts'
import { turnsOf } from '../consumer.ts'
import { assertHasHeaders, assertSameMessage, label, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

/** Clocks of brokers and of machines tick apart by a little; a delay that is ignored is off by far more. */
const earliness = 20
/** Longer than any broker takes for a message that may come at once. */
const longDelay = 120_000
const year = 365 * 24 * 3_600_000

async function oneDelivery(bench: Bench) {
  const work = await bench.channel('work', { maxRetryDelay: bench.shortDelay })
  const sent = messageOf('a', {
    type: 'order',
    contentType: 'text/plain',
    headers: [
      ['tenant', 'north'],
      ['stage', 'one'],
    ],
  })
  await bench.transport.send(work, sent)
  const consumer = await bench.consumer(work)
  return { work, sent, consumer, delivery: await consumer.next() }
}

export const retryScenarios: readonly Scenario[] = scenariosOf('retry', [
  {
    name: 'a retried message comes again, and not before its delay is over',
    catches: ['delivers retries early'],
    async run(bench) {
      const { consumer, delivery } = await oneDelivery(bench)
      const from = bench.clock.monotonic()
      await consumer.retry(delivery, bench.shortDelay)
      assert.equal(label((await consumer.next()).message), 'a')
      const waited = bench.clock.monotonic() - from
      assert.ok(waited >= bench.shortDelay - earliness, `It came after ${waited} ms instead of ${bench.shortDelay}.`)
    },
  },
  {
    name: 'a retry without delay comes again at once, and only once',
    catches: ['forgets what it retries'],
    async run(bench) {
      const { consumer, delivery } = await oneDelivery(bench)
      await consumer.retry(delivery, 0)
      await consumer.complete(await consumer.next())
      await consumer.nothing()
    },
  },
  {
    name: 'each retry counts one turn',
    catches: ['forgets turns'],
    async run(bench) {
      const { consumer, delivery } = await oneDelivery(bench)
      await consumer.retry(delivery, 0)
      const second = await consumer.next()
      await consumer.retry(second, 0)
      const third = await consumer.next()
      if (bench.capabilities.counts === 'deliveries' && bench.capabilities.retry.by === 'native') {
        assert.deepEqual([second.deliveries, third.deliveries], [2, 3])
      } else assert.deepEqual([turnsOf(delivery), turnsOf(second), turnsOf(third)], [0, 1, 2])
    },
  },
  {
    name: 'turns outlive the connection that counted them',
    catches: ['forgets turns', 'keeps retries in its own memory'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const first = await bench.open()
      const consumer = await bench.consumer(work, { on: first })
      await consumer.retry(await consumer.next(), 0)
      await first.close()
      const again = await bench.firstOf(work)
      assert.ok(turnsOf(again) >= 1, 'The turn was forgotten.')
    },
  },
  {
    name: 'a message that waits for its retry does not keep the next one waiting',
    catches: ['blocks behind a failure'],
    async run(bench) {
      const work = await bench.channel('work', { maxRetryDelay: longDelay })
      await bench.send(work, 'a')
      const consumer = await bench.consumer(work)
      await consumer.retry(await consumer.next(), longDelay)
      await bench.send(work, 'b')
      assert.equal(label((await consumer.next()).message), 'b')
    },
  },
  {
    name: 'a retry changes the headers that it was told to change, and no others',
    catches: ['forgets the headers of a retry'],
    needs: ({ retry }) => retry.by === 'copy' || retry.headers,
    async run(bench) {
      const { consumer, delivery } = await oneDelivery(bench)
      await consumer.retry(delivery, 0, [['stage', 'two']])
      const { message } = await consumer.next()
      assertHasHeaders(
        message.headers,
        [
          ['tenant', 'north'],
          ['stage', 'two'],
        ],
        bench.capabilities,
      )
    },
    async otherwise(bench) {
      const { consumer, delivery } = await oneDelivery(bench)
      await rejectsWith(consumer.settle(delivery, { kind: 'retry', delay: 0, headers: [['stage', 'two']] }), 'unsupported')
      await consumer.complete(delivery)
    },
  },
  {
    name: 'a retried message is otherwise what it was',
    catches: ['retries a bare copy'],
    async run(bench) {
      const { sent, consumer, delivery } = await oneDelivery(bench)
      await consumer.retry(delivery, 0)
      assertSameMessage((await consumer.next()).message, sent, bench.capabilities)
    },
  },
  {
    name: 'a broker that retries by itself does so in one step',
    catches: ['forgets what it retries'],
    needs: ({ retry }) => retry.inPlace,
    async run(bench) {
      const { consumer, delivery } = await oneDelivery(bench)
      await consumer.settle(delivery, { kind: 'retry', delay: 0 })
      assert.equal(label((await consumer.next()).message), 'a')
    },
    async otherwise(bench) {
      const { consumer, delivery } = await oneDelivery(bench)
      await rejectsWith(consumer.settle(delivery, { kind: 'retry', delay: 0 }), 'unsupported')
      await consumer.complete(delivery)
      await consumer.nothing()
    },
  },
  {
    name: 'a delay of a year is kept, or refused where the broker cannot wait so long',
    catches: ['delivers retries early'],
    needs: ({ retry }) => retry.maxDelay >= year,
    async run(bench) {
      const { consumer, delivery } = await oneDelivery(bench)
      await consumer.retry(delivery, year)
      await consumer.nothing()
    },
    async otherwise(bench) {
      const { consumer, delivery } = await oneDelivery(bench)
      await rejectsWith(consumer.retry(delivery, year), 'unsupported', 'bad-option')
      await consumer.complete(delivery)
      await consumer.nothing()
    },
  },
])
