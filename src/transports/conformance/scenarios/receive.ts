import assert from 'node:assert/strict'
import { hasCode } from '../../../core/errors.ts'
import type { Address } from '../../seam.ts'
import { type Bench, messageOf } from '../bench.ts'
import type { Consumer } from '../consumer.ts'
import { label, labels, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

/** Clocks of two machines: far below what a wrong unit would be off by. */
const clockSkew = 5000
/** Who gets nothing for so long gets nothing more. */
const patience = 60_000

export const receiveScenarios: readonly Scenario[] = scenariosOf('receive', [
  {
    name: 'what was sent is given out once',
    catches: ['hands every delivery out twice'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a', 'b', 'c')
      const consumer = await bench.consumer(work)
      const deliveries = await consumer.gather(3)
      assert.deepEqual(labels(deliveries).sort(), ['a', 'b', 'c'])
      await consumer.complete(...deliveries)
      await consumer.nothing()
      const later = await bench.consumer(work, { on: await bench.open() })
      await later.nothing()
    },
  },
  {
    name: 'a take gives at most as many as it was asked for',
    catches: ['gives more than it was asked for'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a', 'b', 'c', 'd', 'e')
      const batch = await (await bench.consumer(work)).some(2)
      assert.ok(batch.length <= 2)
    },
  },
  {
    name: 'a take waits for what comes later',
    catches: ['does not wait'],
    async run(bench) {
      const work = await bench.channel('work')
      const { receiver } = await bench.consumer(work)
      const waiting = receiver.take(1, bench.longHold)
      await bench.send(work, 'late')
      assert.deepEqual(labels(await waiting), ['late'])
    },
  },
  {
    name: 'a take that waited in vain gives an empty list',
    catches: ['rejects when nothing comes'],
    async run(bench) {
      const consumer = await bench.consumer(await bench.channel('work'))
      await consumer.nothing()
      await consumer.nothing()
    },
  },
  {
    name: 'receiving from a channel that does not exist is refused',
    catches: ['receives from channels that do not exist'],
    async run(bench) {
      const receiving = bench.transport.receive(bench.absent('nowhere'), { prefetch: 1, hold: bench.longHold })
      await rejectsWith(receiving, 'unknown-channel')
    },
  },
  {
    name: 'a first delivery says that it is the first',
    catches: ['takes every message for a suspect', 'changes positions'],
    async run(bench) {
      const work = await bench.channel('work')
      const before = bench.clock.now()
      const receipt = await bench.transport.send(work, messageOf('a'))
      const delivery = await bench.firstOf(work)
      assert.deepEqual([delivery.deliveries, delivery.turns, delivery.suspect], [1, 0, false])
      assert.equal(delivery.address.name, work.name)
      assert.equal(delivery.hold.signal.aborted, false)
      assert.ok(delivery.heldUntil > before, 'The delivery is held until a moment that has passed.')
      const { enqueuedAt = before } = delivery
      const isThen = enqueuedAt > before - clockSkew && enqueuedAt < bench.clock.now() + clockSkew
      assert.ok(isThen, 'That is not when it was sent.')
      if (receipt.position !== undefined) assert.equal(delivery.position, receipt.position)
    },
  },
  {
    name: 'a message is at the same position on every delivery',
    catches: ['changes positions'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const consumer = await bench.consumer(work)
      const first = await consumer.next()
      await consumer.settle(first, { kind: 'release' })
      assert.equal((await consumer.next()).position, first.position)
    },
  },
  {
    name: 'a message that is held is given to nobody else',
    catches: ['hands one delivery to two receivers'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const holder = await bench.consumer(work)
      const other = await bench.consumer(work, { on: await bench.open() })
      const delivery = await holder.next()
      await other.nothing()
      await holder.complete(delivery)
      await other.nothing()
    },
  },
  {
    name: 'a thousand messages reach four receivers, each exactly once',
    catches: ['hands one delivery to two receivers', 'loses one send of many'],
    async run(bench) {
      const work = await bench.channel('work')
      const expected = Array.from({ length: 1000 }, (_, index) => `m${index}`)
      for (let from = 0; from < 1000; from += 100) {
        await Promise.all(expected.slice(from, from + 100).map((text) => bench.transport.send(work, messageOf(text))))
      }
      const other = await bench.open()
      const consumers = await Promise.all(
        [undefined, other, undefined, other].map((on) => bench.consumer(work, on ? { on } : {})),
      )
      const seen: string[] = []
      const exhaust = async (consumer: Consumer): Promise<void> => {
        for (let inVain = 0; seen.length < expected.length && inVain * bench.shortHold < patience; ) {
          const batch = await consumer.receiver.take(50, bench.shortHold)
          if (batch.length === 0) inVain++
          seen.push(...labels(batch))
          await consumer.complete(...batch)
        }
      }
      await Promise.all(consumers.map(exhaust))
      assert.deepEqual(seen.sort(), expected.sort())
    },
  },
  {
    name: 'a delivery that waited in a buffer is still ours when it is given out',
    catches: ['keeps what it fetched when it closes'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a', 'b', 'c')
      const consumer = await bench.consumer(work, { hold: bench.shortHold, prefetch: 10 })
      await consumer.complete(await consumer.next())
      const elsewhere = await bench.consumer(await bench.channel('pause'))
      await elsewhere.receiver.take(1, 2 * bench.shortHold)
      const asked = bench.clock.now()
      const delivery = await consumer.next()
      assert.ok(delivery.heldUntil > asked, 'Its hold had expired before it was given out.')
      await consumer.complete(delivery)
    },
  },
  {
    name: 'what a consumer does to a body is not seen by the next delivery',
    catches: ['hands out one buffer again and again'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'untouched')
      const consumer = await bench.consumer(work)
      const delivery = await consumer.next()
      delivery.message.body?.fill(0)
      await consumer.settle(delivery, { kind: 'release' })
      assert.equal(label((await consumer.next()).message), 'untouched')
    },
  },
  {
    name: 'an address with a group is that group alone, or every verb refuses it',
    catches: ['takes no notice of groups'],
    async run(bench) {
      const work = await bench.channel('work')
      const other = { ...work, group: 'another-group' }
      const hasGroups = await takesGroup(bench, other)
      await bench.send(work, 'a')
      const consumer = await bench.consumer(work)
      await consumer.complete(await consumer.next())
      if (hasGroups) assert.equal(label((await bench.firstOf(other)).message), 'a')
      else await refusesGroup(bench, other)
    },
  },
])

async function takesGroup({ transport }: Bench, address: Address): Promise<boolean> {
  try {
    await transport.provision({ channels: [{ address, role: 'work' }] }, 'apply')
    return true
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
}

async function refusesGroup({ transport }: Bench, address: Address): Promise<void> {
  await assert.rejects(transport.receive(address, { prefetch: 1, hold: 1000 }), isRefusal)
  await assert.rejects(transport.send(address, messageOf('b')), isRefusal)
  await assert.rejects(transport.browse(address, { limit: 1 }), isRefusal)
  await assert.rejects(transport.remove(address, '1'), isRefusal)
  await assert.rejects(transport.measure(address), isRefusal)
}

/** There are no groups, or there are, but not of this channel. */
function isRefusal(error: unknown): boolean {
  return hasCode(error, 'unsupported') || hasCode(error, 'unknown-channel')
}
