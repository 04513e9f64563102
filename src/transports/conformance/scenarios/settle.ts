import assert from 'node:assert/strict'
import type { Bench } from '../bench.ts'
import { label, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

/** Where nothing expires, a delivery stays ours for as long as the connection lives. */
async function holdNeverExpires(bench: Bench): Promise<void> {
  const work = await bench.channel('work')
  await bench.send(work, 'a')
  const holder = await bench.consumer(work, { hold: bench.shortHold })
  const other = await bench.consumer(work, { on: await bench.open() })
  const delivery = await holder.next()
  // Its end, if it has one, is the broker's: neither the hold that was asked for nor an extension moves it.
  assert.ok(delivery.heldUntil > bench.clock.now() + 10 * bench.shortHold, 'The hold ends sooner than the broker ends it.')
  assert.equal(await holder.transport.extend(delivery, bench.shortHold), delivery.heldUntil)
  assert.deepEqual(await other.receiver.take(1, 2 * bench.shortHold), [])
  await holder.complete(delivery)
}

/** One delivery whose hold has expired, and the same message in the hands of somebody else. */
async function staleAndFresh(bench: Bench) {
  const work = await bench.channel('work')
  await bench.send(work, 'a')
  const slow = await bench.consumer(work, { hold: bench.shortHold })
  const stale = await slow.next()
  const other = await bench.consumer(work, { on: await bench.open() })
  return { slow, stale, other, fresh: await other.next() }
}

export const settleScenarios: readonly Scenario[] = scenariosOf('settle', [
  {
    name: 'a completed message never comes again',
    catches: ['gives nothing back to the broker'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const connection = await bench.open()
      const consumer = await bench.consumer(work, { on: connection })
      await consumer.complete(await consumer.next())
      await connection.close()
      await bench.isEmpty(work)
    },
  },
  {
    name: 'settling twice is safe',
    catches: ['rejects a second settlement'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const consumer = await bench.consumer(work)
      const delivery = await consumer.next()
      await consumer.complete(delivery)
      await consumer.complete(delivery)
      await consumer.settle(delivery, { kind: 'release' })
      await consumer.nothing()
    },
  },
  {
    name: 'the first settlement wins',
    catches: ['lets the last settlement win', 'rejects a second settlement'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const consumer = await bench.consumer(work)
      const delivery = await consumer.next()
      await Promise.all([consumer.settle(delivery, { kind: 'release' }), consumer.complete(delivery)])
      assert.equal(label((await consumer.next()).message), 'a')
    },
  },
  {
    name: 'a released message comes again as if it had never been taken',
    catches: ['counts releases as turns', 'completes what it should release'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const consumer = await bench.consumer(work)
      for (const _ of [1, 2, 3]) await consumer.settle(await consumer.next(), { kind: 'release' })
      const again = await consumer.next()
      assert.equal(label(again.message), 'a')
      if (bench.capabilities.counts === 'turns') assert.deepEqual([again.turns, again.suspect], [0, false])
    },
  },
  {
    name: 'a hold that expires sets its message free, and settling it then is refused',
    catches: ['reports every settlement as done'],
    needs: ({ hold }) => hold === 'lock',
    async run(bench) {
      const { slow, stale, other, fresh } = await staleAndFresh(bench)
      assert.equal(label(fresh.message), 'a')
      await rejectsWith(slow.settle(stale, { kind: 'complete' }), 'hold-lost')
      await other.complete(fresh)
      await other.nothing()
    },
    otherwise: holdNeverExpires,
  },
  {
    name: 'a stale settlement never settles for the new holder',
    catches: ['settles for the new holder'],
    needs: ({ hold }) => hold === 'lock',
    async run(bench) {
      const { slow, stale, other, fresh } = await staleAndFresh(bench)
      await Promise.allSettled([slow.complete(stale)])
      await other.settle(fresh, { kind: 'release' })
      assert.equal(label((await other.next()).message), 'a')
    },
    async otherwise(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const fragile = await bench.openFragile()
      const dying = await bench.consumer(work, { on: fragile.transport })
      const stale = await dying.next()
      await fragile.crash()
      const other = await bench.consumer(work)
      const fresh = await other.next()
      await Promise.allSettled([dying.complete(stale)])
      await other.settle(fresh, { kind: 'release' })
      assert.equal(label((await other.next()).message), 'a')
    },
  },
  {
    name: 'an extended hold outlives its first term',
    catches: ['extends nothing'],
    needs: ({ hold }) => hold === 'lock',
    async run(bench) {
      const term = 2 * bench.shortHold
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const holder = await bench.consumer(work, { hold: term })
      const other = await bench.consumer(work, { on: await bench.open() })
      const delivery = await holder.next()
      const until = await holder.transport.extend(delivery, bench.longHold)
      assert.ok(until > delivery.heldUntil, 'The hold was not extended.')
      assert.deepEqual(await other.receiver.take(1, 2 * term), [])
      await holder.complete(delivery)
    },
    otherwise: holdNeverExpires,
  },
  {
    name: 'a hold that is lost cannot be extended',
    catches: ['extends what is lost', 'extends nothing'],
    needs: ({ hold }) => hold === 'lock',
    async run(bench) {
      const { slow, stale } = await staleAndFresh(bench)
      await rejectsWith(slow.transport.extend(stale, bench.longHold), 'hold-lost')
    },
    otherwise: holdNeverExpires,
  },
  {
    name: 'two hundred settlements at once are all taken',
    catches: ['loses one settlement of many'],
    async run(bench) {
      const work = await bench.channel('work')
      const texts = Array.from({ length: 200 }, (_, index) => `m${index}`)
      await bench.send(work, ...texts)
      const connection = await bench.open()
      const consumer = await bench.consumer(work, { on: connection, prefetch: 200 })
      await consumer.complete(...(await consumer.gather(200)))
      await connection.close()
      await bench.isEmpty(work)
    },
  },
  {
    name: 'a settlement that fails does not harm those made beside it',
    catches: ['fails settlements together'],
    async run(bench) {
      const work = await bench.channel('work')
      const texts = Array.from({ length: 10 }, (_, index) => `m${index}`)
      await bench.send(work, ...texts)
      const connection = await bench.open()
      const consumer = await bench.consumer(work, { on: connection })
      const deliveries = await consumer.gather(10)
      const outcomes = await Promise.allSettled(
        deliveries.map((delivery, index) =>
          index === 4 ? consumer.move(delivery, bench.absent('nowhere')) : consumer.complete(delivery),
        ),
      )
      assert.deepEqual(
        outcomes.map(({ status }) => status === 'fulfilled'),
        texts.map((_, index) => index !== 4),
      )
      await connection.close()
      const left = await bench.consumer(work)
      assert.equal(label((await left.next()).message), label(deliveries[4]?.message ?? assert.fail()))
      await left.nothing()
    },
  },
])
