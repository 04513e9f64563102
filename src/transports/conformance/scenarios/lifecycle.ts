import assert from 'node:assert/strict'
import { messageOf } from '../bench.ts'
import { label, labels, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

export const lifecycleScenarios: readonly Scenario[] = scenariosOf('lifecycle', [
  {
    name: 'closing gives back what is held, uncounted',
    catches: ['drops what it holds when it closes', 'closes without giving back'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a', 'b')
      const leaving = await bench.open()
      await (await bench.consumer(work, { on: leaving })).gather(2)
      await leaving.close()
      const deliveries = await (await bench.consumer(work)).gather(2)
      assert.deepEqual(labels(deliveries).sort(), ['a', 'b'])
      if (bench.capabilities.counts !== 'turns') return
      assert.deepEqual(
        deliveries.map(({ turns, suspect }) => [turns, suspect]),
        [
          [0, false],
          [0, false],
        ],
      )
    },
  },
  {
    name: 'closing a receiver ends a take that waits, with nothing',
    catches: ['rejects a take when it closes'],
    async run(bench) {
      const { receiver } = await bench.consumer(await bench.channel('work'))
      const waiting = receiver.take(1, bench.longHold)
      await receiver.close()
      assert.deepEqual(await waiting, [])
      assert.deepEqual(await receiver.take(1, 0), [])
    },
  },
  {
    name: 'closing the transport ends a take that waits, with nothing',
    catches: ['rejects a take when it closes'],
    async run(bench) {
      const leaving = await bench.open()
      const { receiver } = await bench.consumer(await bench.channel('work'), { on: leaving })
      const waiting = receiver.take(1, bench.longHold)
      await leaving.close()
      assert.deepEqual(await waiting, [])
    },
  },
  {
    name: 'what a closed receiver had given out can still be settled',
    catches: ['forgets deliveries with their receiver'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const connection = await bench.open()
      const consumer = await bench.consumer(work, { on: connection })
      const delivery = await consumer.next()
      await consumer.receiver.close()
      const other = await bench.consumer(work)
      await other.nothing()
      await consumer.complete(delivery)
      await connection.close()
      await other.nothing()
    },
  },
  {
    name: 'what a closed receiver had not given out goes to others',
    catches: ['keeps what it fetched when it closes'],
    async run(bench) {
      const work = await bench.channel('work')
      const texts = Array.from({ length: 10 }, (_, index) => `m${index}`)
      await bench.send(work, ...texts)
      const consumer = await bench.consumer(work, { on: await bench.open(), prefetch: 10 })
      const first = await consumer.next()
      await consumer.complete(first)
      await consumer.receiver.close()
      const rest = await (await bench.consumer(work)).gather(9)
      assert.deepEqual([label(first.message), ...labels(rest)].sort(), texts)
    },
  },
  {
    name: 'closing again is the same as closing once',
    catches: ['fails on a second close'],
    async run(bench) {
      const leaving = await bench.open()
      const { receiver } = await bench.consumer(await bench.channel('work'), { on: leaving })
      await Promise.all([receiver.close(), receiver.close()])
      await receiver.close()
      await Promise.all([leaving.close(), leaving.close()])
      await leaving.close()
    },
  },
  {
    name: 'after close every verb rejects with closed',
    catches: ['works on after close'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const leaving = await bench.open()
      const delivery = await (await bench.consumer(work, { on: leaving })).next()
      await leaving.close()
      await rejectsWith(leaving.provision({ channels: [] }, 'check'), 'closed')
      await rejectsWith(leaving.receive(work, { prefetch: 1, hold: bench.longHold }), 'closed')
      await rejectsWith(leaving.extend(delivery, bench.longHold), 'closed')
      await rejectsWith(leaving.settle(delivery, { kind: 'complete' }), 'closed')
      await rejectsWith(leaving.send(work, messageOf('b')), 'closed')
      await rejectsWith(leaving.browse(work, { limit: 1 }), 'closed')
      await rejectsWith(leaving.remove(work, '1'), 'closed')
      await rejectsWith(leaving.measure(work), 'closed')
    },
  },
  {
    name: 'closing one connection does not disturb another',
    catches: ['closes every connection'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const leaving = await bench.open()
      const consumer = await bench.consumer(work)
      const delivery = await consumer.next()
      await leaving.close()
      assert.deepEqual([delivery.hold.signal.aborted, consumer.receiver.lost.aborted], [false, false])
      await consumer.complete(delivery)
      await consumer.nothing()
    },
  },
  {
    name: 'what was asked for before a close is done, and what was not is given back',
    catches: ['drops what it holds when it closes'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'settled', 'held')
      const leaving = await bench.open()
      const consumer = await bench.consumer(work, { on: leaving })
      const deliveries = await consumer.gather(2)
      const settled = deliveries.filter(({ message }) => label(message) === 'settled')
      const asked = Promise.all([consumer.complete(...settled), leaving.send(work, messageOf('sent'))])
      await leaving.close()
      await asked
      const left = await bench.consumer(work)
      assert.deepEqual(labels(await left.gather(2)).sort(), ['held', 'sent'])
      await left.nothing()
    },
  },
  {
    name: 'messages wait while nobody is there',
    catches: ['empties the channel when it closes'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'before')
      const leaving = await bench.open()
      const consumer = await bench.consumer(work, { on: leaving })
      await consumer.settle(await consumer.next(), { kind: 'release' })
      await leaving.close()
      await bench.send(work, 'after')
      assert.deepEqual(labels(await (await bench.consumer(work)).gather(2)).sort(), ['after', 'before'])
    },
  },
  {
    name: 'consumers that come and go see every message once',
    catches: ['empties the channel when it closes'],
    async run(bench) {
      const work = await bench.channel('work')
      const texts = Array.from({ length: 30 }, (_, index) => `m${10 + index}`)
      await bench.send(work, ...texts)
      const seen: string[] = []
      for (const _ of [1, 2, 3]) {
        const passing = await bench.open()
        const consumer = await bench.consumer(work, { on: passing, prefetch: 30 })
        const deliveries = await consumer.gather(10)
        await consumer.complete(...deliveries)
        seen.push(...labels(deliveries))
        await passing.close()
      }
      assert.deepEqual(seen.sort(), texts)
    },
  },
])
