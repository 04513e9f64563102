import assert from 'node:assert/strict'
import type { Address, Delivery } from '../../seam.ts'
import { type Bench, holdBriefly, messageOf } from '../bench.ts'
import { turnsOf } from '../consumer.ts'
import { label, labels, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

const countsTurns: NonNullable<Scenario['needs']> = ({ counts }) => counts === 'turns'

/** Somebody takes so many messages, and dies. */
async function crashHolding(bench: Bench, work: Address, count: number): Promise<Delivery[]> {
  const fragile = await bench.openFragile()
  const { held } = await holdBriefly(bench, work, fragile.transport, count)
  await fragile.crash()
  return held
}

async function channelWith(bench: Bench, ...texts: readonly string[]): Promise<Address> {
  const work = await bench.channel('work')
  await bench.send(work, ...texts)
  return work
}

/** Where the broker does not count turns, at least nothing is lost and everything is suspect. */
async function comesAgainAsSuspect(bench: Bench): Promise<void> {
  const work = await channelWith(bench, 'a', 'b', 'c')
  await crashHolding(bench, work, 3)
  const again = await (await bench.consumer(work)).gather(3)
  assert.deepEqual(labels(again).sort(), ['a', 'b', 'c'])
  assert.ok(
    again.every(({ suspect }) => suspect),
    'A message that was in the hands of a dead consumer is not suspect.',
  )
}

export const crashScenarios: readonly Scenario[] = scenariosOf('crash', [
  {
    name: 'what a crashed consumer held comes again, as suspect',
    catches: ['acknowledges on receipt', 'suspects nothing'],
    run: comesAgainAsSuspect,
  },
  {
    name: 'the neighbours of a crash keep their turns',
    catches: ['blames the neighbours'],
    needs: countsTurns,
    async run(bench) {
      const texts = Array.from({ length: 10 }, (_, index) => `m${index}`)
      const work = await channelWith(bench, ...texts)
      await crashHolding(bench, work, 10)
      const again = await (await bench.consumer(work)).gather(10)
      assert.deepEqual(labels(again).sort(), texts)
      assert.deepEqual(
        again.map(({ turns }) => turns),
        texts.map(() => 0),
      )
    },
    otherwise: comesAgainAsSuspect,
  },
  {
    name: 'a suspect is handed out alone',
    catches: ['hands suspects out in a crowd'],
    needs: countsTurns,
    async run(bench) {
      const work = await channelWith(bench, 'a', 'b', 'c')
      await crashHolding(bench, work, 3)
      await bench.send(work, 'd', 'e')
      const consumer = await bench.consumer(work)
      const batches: (readonly Delivery[])[] = []
      while (batches.flat().length < 5) batches.push(await consumer.some(10))
      const crowds = batches.filter((batch) => batch.length > 1 && batch.some(({ suspect }) => suspect))
      assert.deepEqual(crowds.map(labels), [])
    },
    otherwise: comesAgainAsSuspect,
  },
  {
    name: 'a message that kills its consumer again and again is counted',
    catches: ['forgets turns'],
    needs: countsTurns,
    async run(bench) {
      const work = await channelWith(bench, 'poison')
      const seen: number[] = []
      for (const _ of [1, 2, 3]) seen.push(...(await crashHolding(bench, work, 1)).map(({ turns }) => turns))
      seen.push((await bench.firstOf(work)).turns)
      assert.deepEqual(seen, [0, 0, 1, 2])
    },
    async otherwise(bench) {
      const work = await channelWith(bench, 'poison')
      const [first] = await crashHolding(bench, work, 1)
      const [second] = await crashHolding(bench, work, 1)
      assert.deepEqual([first?.suspect, second?.suspect], [false, true])
      if (bench.capabilities.counts === 'deliveries') assert.deepEqual([first?.deliveries, second?.deliveries], [1, 2])
    },
  },
  {
    name: 'a suspect that is released has had no turn',
    catches: ['counts releases as turns'],
    needs: countsTurns,
    async run(bench) {
      const work = await channelWith(bench, 'a')
      await crashHolding(bench, work, 1)
      const consumer = await bench.consumer(work)
      await consumer.settle(await consumer.next(), { kind: 'release' })
      const again = await consumer.next()
      assert.deepEqual([again.turns, again.suspect], [0, true])
    },
    otherwise: comesAgainAsSuspect,
  },
  {
    name: 'a suspect that is retried has had one turn and is suspect no more',
    catches: ['takes every message for a suspect', 'forgets turns'],
    needs: (capabilities) => countsTurns(capabilities) && capabilities.retry.inPlace,
    async run(bench) {
      const work = await channelWith(bench, 'a')
      await crashHolding(bench, work, 1)
      const consumer = await bench.consumer(work)
      await consumer.settle(await consumer.next(), { kind: 'retry', delay: 0 })
      const again = await consumer.next()
      assert.deepEqual([again.turns, again.suspect], [1, false])
    },
    otherwise: comesAgainAsSuspect,
  },
  {
    name: 'a crash while a message waits for its retry loses neither the message nor its turn',
    catches: ['keeps retries in its own memory'],
    async run(bench) {
      const work = await bench.channel('work', { maxRetryDelay: bench.shortDelay })
      await bench.send(work, 'a')
      const fragile = await bench.openFragile()
      const dying = await bench.consumer(work, { on: fragile.transport })
      await dying.retry(await dying.next(), bench.shortDelay)
      await fragile.crash()
      const again = await bench.firstOf(work)
      assert.equal(label(again.message), 'a')
      assert.ok(turnsOf(again) >= 1, 'The turn was lost.')
    },
  },
  {
    name: 'a message that was completed before the crash does not come again',
    catches: ['completes at its leisure'],
    async run(bench) {
      const work = await channelWith(bench, 'done', 'open')
      const fragile = await bench.openFragile()
      const { consumer: dying, held } = await holdBriefly(bench, work, fragile.transport, 2)
      for (const delivery of held) if (label(delivery.message) === 'done') await dying.complete(delivery)
      await fragile.crash()
      const heir = await bench.consumer(work)
      const again = await heir.next()
      assert.equal(label(again.message), 'open')
      await heir.complete(again)
      await heir.nothing()
    },
  },
  {
    name: 'a message that was moved before the crash is at its destination, once',
    catches: ['completes at its leisure'],
    async run(bench) {
      const work = await channelWith(bench, 'a')
      const dead = await bench.channel('dead', { role: 'dead-letter' })
      const fragile = await bench.openFragile()
      const dying = await bench.consumer(work, { on: fragile.transport, hold: bench.shortHold })
      await dying.move(await dying.next(), dead)
      await fragile.crash()
      const reader = await bench.consumer(dead)
      await reader.complete(await reader.next())
      await reader.nothing()
      assert.deepEqual(await (await bench.consumer(work)).receiver.take(1, 2 * bench.shortHold), [])
    },
  },
  {
    name: 'settling and sending over a dead connection are errors, never successes',
    catches: ['reports every settlement as done', 'reports a failed send as success'],
    async run(bench) {
      const work = await channelWith(bench, 'a')
      const fragile = await bench.openFragile()
      const dying = await bench.consumer(work, { on: fragile.transport, hold: bench.shortHold })
      const delivery = await dying.next()
      await fragile.crash()
      await rejectsWith(dying.complete(delivery), 'hold-lost', 'unsure', 'unreachable', 'closed')
      await rejectsWith(fragile.transport.send(work, messageOf('b')), 'refused', 'unsure', 'unreachable', 'closed')
      assert.equal(label((await bench.firstOf(work)).message), 'a')
    },
  },
  {
    name: 'a receiver whose connection died ends its takes',
    catches: ['waits for ever on a dead connection'],
    async run(bench) {
      const fragile = await bench.openFragile()
      const { receiver } = await bench.consumer(await bench.channel('work'), { on: fragile.transport })
      const waiting = Promise.allSettled([receiver.take(1, bench.shortHold)])
      await fragile.crash()
      const [outcome] = await waiting
      if (outcome.status === 'fulfilled') assert.deepEqual(outcome.value, [])
      if (bench.capabilities.hold !== 'lock') assert.equal(receiver.lost.aborted, true)
    },
  },
  {
    name: 'the crash of one consumer does not disturb another',
    catches: ['acknowledges on receipt'],
    async run(bench) {
      const [calm, stormy] = [await bench.channel('calm'), await bench.channel('stormy')]
      await bench.send(calm, 'a')
      await bench.send(stormy, 'b')
      const living = await bench.consumer(calm)
      const delivery = await living.next()
      await crashHolding(bench, stormy, 1)
      assert.equal(label((await bench.firstOf(stormy)).message), 'b')
      assert.deepEqual([delivery.hold.signal.aborted, living.receiver.lost.aborted], [false, false])
      await living.complete(delivery)
      await living.nothing()
    },
  },
])
