import assert from 'node:assert/strict'
import { type Bench, type ConsumerOptions, messageOf } from '../bench.ts'
import { assertHasHeaders, assertSameMessage, label, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

async function oneToMove(bench: Bench, options: ConsumerOptions = {}) {
  const work = await bench.channel('work')
  const dead = await bench.channel('dead', { role: 'dead-letter' })
  const sent = messageOf('a', {
    type: 'order.placed',
    contentType: 'application/json',
    correlationId: 'c-1',
    key: 'customer-1',
    headers: [['tenant', 'north']],
  })
  await bench.transport.send(work, sent)
  const consumer = await bench.consumer(work, options)
  return { work, dead, sent, consumer, delivery: await consumer.next() }
}

export const moveScenarios: readonly Scenario[] = scenariosOf('move', [
  {
    name: 'a moved message is at its destination and gone from its source',
    catches: ['copies instead of moving', 'completes instead of moving'],
    async run(bench) {
      const { work, dead, consumer, delivery } = await oneToMove(bench)
      await consumer.move(delivery, dead)
      assert.equal(label((await bench.firstOf(dead)).message), 'a')
      await consumer.transport.close()
      const fresh = await bench.open()
      await (await bench.consumer(work, { on: fresh })).nothing()
    },
  },
  {
    name: 'a move to a channel that does not exist loses nothing',
    catches: ['acknowledges before the move is durable', 'reports every settlement as done'],
    async run(bench) {
      const { consumer, delivery } = await oneToMove(bench)
      await rejectsWith(consumer.move(delivery, bench.absent('nowhere')), 'unknown-channel', 'refused')
      await consumer.settle(delivery, { kind: 'release' })
      assert.equal(label((await consumer.next()).message), 'a')
    },
  },
  {
    name: 'a move that failed can be done again elsewhere',
    catches: ['reports every settlement as done'],
    async run(bench) {
      const { dead, consumer, delivery } = await oneToMove(bench)
      await rejectsWith(consumer.move(delivery, bench.absent('nowhere')), 'unknown-channel', 'refused')
      await consumer.move(delivery, dead)
      assert.equal(label((await bench.firstOf(dead)).message), 'a')
      await consumer.nothing()
    },
  },
  {
    name: 'a move of what has grown too large loses nothing',
    catches: ['acknowledges before the move is durable'],
    needs: ({ messages }) => messages.maxHeaders <= 8 * 1024 * 1024,
    async run(bench) {
      const { dead, consumer, delivery } = await oneToMove(bench)
      const headers = [['stack', 'x'.repeat(bench.capabilities.messages.maxHeaders)]] as const
      await rejectsWith(consumer.move(delivery, dead, { ...delivery.message, headers }), 'too-large')
      await consumer.settle(delivery, { kind: 'release' })
      assert.equal(label((await consumer.next()).message), 'a')
      await bench.isEmpty(dead)
    },
    async otherwise(bench) {
      const { dead, consumer, delivery } = await oneToMove(bench)
      await consumer.move(delivery, dead, { ...delivery.message, headers: [['stack', 'x'.repeat(64 * 1024)]] })
      assert.equal(label((await bench.firstOf(dead)).message), 'a')
    },
  },
  {
    name: 'a move of what is no longer ours writes nothing',
    catches: ['moves in two steps'],
    needs: ({ move }) => move === 'atomic',
    async run(bench) {
      const fragile = await bench.openFragile()
      const { work, dead, consumer, delivery } = await oneToMove(bench, { hold: bench.shortHold, on: fragile.transport })
      if (bench.capabilities.hold !== 'lock') await fragile.crash()
      const other = await bench.consumer(work)
      const fresh = await other.next()
      await rejectsWith(consumer.settle(delivery, { kind: 'move', to: dead, message: delivery.message }))
      await bench.isEmpty(dead)
      await other.complete(fresh)
    },
    async otherwise(bench) {
      const { dead, consumer, delivery } = await oneToMove(bench)
      await rejectsWith(consumer.settle(delivery, { kind: 'move', to: dead, message: delivery.message }), 'unsupported')
      await bench.isEmpty(dead)
      await consumer.complete(delivery)
    },
  },
  {
    name: 'settling twice does not move twice',
    catches: ['moves in two steps'],
    needs: ({ move }) => move === 'atomic',
    async run(bench) {
      const { dead, consumer, delivery } = await oneToMove(bench)
      const move = { kind: 'move', to: dead, message: delivery.message } as const
      await Promise.all([consumer.settle(delivery, move), consumer.settle(delivery, move)])
      await consumer.settle(delivery, move)
      const reader = await bench.consumer(dead)
      await reader.complete(await reader.next())
      await reader.nothing()
    },
    async otherwise(bench) {
      const { dead, consumer, delivery } = await oneToMove(bench)
      await consumer.complete(delivery)
      await Promise.allSettled([consumer.settle(delivery, { kind: 'move', to: dead, message: delivery.message })])
      await bench.isEmpty(dead)
    },
  },
  {
    name: 'a moved message keeps its body, headers, key, type and correlation id',
    catches: ['moves the body alone'],
    async run(bench) {
      const { dead, sent, consumer, delivery } = await oneToMove(bench)
      await consumer.move(delivery, dead)
      assertSameMessage((await bench.firstOf(dead)).message, sent, bench.capabilities)
    },
  },
  {
    name: 'a move may add headers',
    catches: ['moves the body alone'],
    async run(bench) {
      const { dead, sent, consumer, delivery } = await oneToMove(bench)
      const headers = [...sent.headers, ['reason', 'PoisonMessage']] as const
      await consumer.move(delivery, dead, { ...delivery.message, headers })
      const { message } = await bench.firstOf(dead)
      assertHasHeaders(message.headers, headers, bench.capabilities)
    },
  },
  {
    name: 'a moved message begins anew: no turns and no suspicion',
    catches: ['takes every message for a suspect'],
    async run(bench) {
      const { dead, consumer, delivery } = await oneToMove(bench)
      await consumer.settle(delivery, { kind: 'release' })
      await consumer.move(await consumer.next(), dead)
      const { turns, suspect, deliveries } = await bench.firstOf(dead)
      assert.deepEqual([turns, suspect, deliveries], [0, false, 1])
    },
  },
  {
    name: 'a dead letter can be moved back to where it came from',
    catches: ['completes instead of moving'],
    async run(bench) {
      const { work, dead, consumer, delivery } = await oneToMove(bench)
      await consumer.move(delivery, dead)
      const redriver = await bench.consumer(dead)
      await redriver.move(await redriver.next(), work)
      const back = await consumer.next()
      assert.equal(label(back.message), 'a')
      await consumer.complete(back)
      await consumer.nothing()
      await redriver.nothing()
    },
  },
])
