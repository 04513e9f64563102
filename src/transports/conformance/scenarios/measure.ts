import assert from 'node:assert/strict'
import type { Address, Measure } from '../../seam.ts'
import type { Bench } from '../bench.ts'
import { rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

/** Clocks of two machines: far below what a wrong unit or a wrong message would be off by. */
const clockSkew = 5000

async function eventuallyPending(bench: Bench, address: Address, pending: number): Promise<Measure> {
  return bench.eventually(async () => {
    const measure = await bench.transport.measure(address)
    assert.equal(measure.pending, pending, 'pending')
    assert.ok(measure.retained >= pending, `Only ${measure.retained} are retained although ${pending} are pending.`)
    return measure
  })
}

export const measureScenarios: readonly Scenario[] = scenariosOf('measure', [
  {
    name: 'an empty channel has nothing pending and no oldest message',
    catches: ['gives an age to nothing'],
    async run(bench) {
      const measure = await eventuallyPending(bench, await bench.channel('work'), 0)
      assert.equal(measure.oldestAt, undefined)
    },
  },
  {
    name: 'messages that wait are counted',
    catches: ['counts at most one page'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a', 'b', 'c')
      await eventuallyPending(bench, work, 3)
    },
  },
  {
    name: 'messages that somebody holds are counted',
    catches: ['forgets what is held'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a', 'b', 'c')
      const consumer = await bench.consumer(work)
      await consumer.gather(2)
      await eventuallyPending(bench, work, 3)
    },
  },
  {
    name: 'a message that waits for its retry is counted',
    catches: ['forgets what is delayed'],
    needs: ({ retry }) => retry.by === 'native',
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const consumer = await bench.consumer(work)
      await consumer.retry(await consumer.next(), bench.longHold)
      await eventuallyPending(bench, work, 1)
      await consumer.nothing()
    },
    async otherwise(bench) {
      const work = await bench.channel('work', { maxRetryDelay: bench.shortDelay })
      await bench.send(work, 'a')
      const consumer = await bench.consumer(work)
      await consumer.retry(await consumer.next(), bench.shortDelay)
      await consumer.receiver.close()
      await eventuallyPending(bench, work, 1)
    },
  },
  {
    name: 'completed messages are no longer pending',
    catches: ['gives nothing back to the broker'],
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a', 'b', 'c')
      const consumer = await bench.consumer(work)
      const [first, ...rest] = await consumer.gather(3)
      assert.ok(first)
      await consumer.complete(first)
      await eventuallyPending(bench, work, 2)
      await consumer.complete(...rest)
      await eventuallyPending(bench, work, 0)
    },
  },
  {
    name: 'the oldest message tells its age, where the broker knows it',
    catches: ['tells the age of the newest'],
    async run(bench) {
      const work = await bench.channel('work')
      const before = bench.clock.now()
      await bench.send(work, 'a')
      const { oldestAt: ofOne = before } = await eventuallyPending(bench, work, 1)
      const after = bench.clock.now()
      await (await bench.consumer(await bench.channel('pause'))).nothing()
      await bench.send(work, 'b')
      const { oldestAt: ofTwo = ofOne } = await eventuallyPending(bench, work, 2)
      const isThen = ofOne > before - clockSkew && ofOne < after + clockSkew
      assert.ok(isThen, `${ofOne} is not the time at which it was sent.`)
      assert.equal(ofTwo, ofOne, 'The oldest message changed although it is still there.')
    },
  },
  {
    name: 'a probe that fails says so, and never says 0',
    catches: ['measures 0 where it failed'],
    async run(bench) {
      await rejectsWith(bench.transport.measure(bench.absent('nowhere')), 'unknown-channel')
      const fragile = await bench.openFragile()
      const work = await bench.channel('work')
      await fragile.transport.measure(work)
      await fragile.transport.close()
      await rejectsWith(fragile.transport.measure(work), 'closed')
    },
  },
])
