import assert from 'node:assert/strict'
import type { Address, Delivery } from '../../seam.ts'
import { type Bench, holdBriefly, messageOf } from '../bench.ts'
import type { Consumer } from '../consumer.ts'
import { label, labels, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

const keepsLanes: NonNullable<Scenario['needs']> = ({ ordering }) => ordering === 'lane'

/** Labels name their key by their first letter: `k1` and `k2` are of one lane. */
async function lanesWith(bench: Bench, ...texts: readonly string[]): Promise<Address> {
  const work = await bench.channel('work', { lanes: true })
  for (const text of texts) await bench.transport.send(work, messageOf(text, { key: text.slice(0, 1) }))
  return work
}

/** The next delivery that either consumer gets: which of them is the broker's business. */
async function nextOfEither(
  bench: Bench,
  ...consumers: readonly Consumer[]
): Promise<{ consumer: Consumer; delivery: Delivery }> {
  return bench.eventually(async () => {
    for (const consumer of consumers) {
      const [delivery] = await consumer.receiver.take(1, 0)
      if (delivery !== undefined) return { consumer, delivery }
    }
    return assert.fail('Neither consumer was given anything.')
  })
}

/** Where order cannot be kept, whoever asks for it is told. */
async function lackIsTold(bench: Bench): Promise<void> {
  const address = bench.absent('ordered')
  const findings = await bench.transport.provision({ channels: [{ address, role: 'work', lanes: true }] }, 'apply')
  const told = findings.some(({ severity }) => severity === 'warning' || severity === 'fatal')
  assert.ok(told, 'An order that the broker cannot keep was promised in silence.')
}

async function completedInOrder(consumer: Consumer, count: number): Promise<string[]> {
  const order: string[] = []
  while (order.length < count) {
    const batch = await consumer.gather(1)
    order.push(...labels(batch))
    await consumer.complete(...batch)
  }
  return order
}

export const laneScenarios: readonly Scenario[] = scenariosOf('lanes', [
  {
    name: 'messages of one key are given in the order in which they were sent',
    catches: ['reorders a lane'],
    needs: keepsLanes,
    async run(bench) {
      const sent = Array.from({ length: 30 }, (_, index) => `${'xyz'[index % 3]}${10 + index}`)
      const consumer = await bench.consumer(await lanesWith(bench, ...sent))
      const deliveries: Delivery[] = []
      while (deliveries.length < sent.length) {
        const batch = await consumer.some(7)
        deliveries.push(...batch)
        await consumer.complete(...batch)
      }
      for (const key of 'xyz') {
        const ofKey = (text: string): boolean => text.startsWith(key)
        assert.deepEqual(labels(deliveries).filter(ofKey), sent.filter(ofKey))
      }
    },
    otherwise: lackIsTold,
  },
  {
    name: 'messages of one key share a lane, and say so',
    catches: ['provisions no lanes'],
    needs: keepsLanes,
    async run(bench) {
      const consumer = await bench.consumer(await lanesWith(bench, 'k1', 'k2'))
      const first = await consumer.next()
      // A broker may keep a lane to what it gave out together.
      await consumer.complete(first)
      const second = await consumer.next()
      assert.ok(first.lane !== undefined, 'The delivery does not name its lane.')
      assert.equal(second.lane, first.lane)
    },
    otherwise: lackIsTold,
  },
  {
    name: 'one key is never in two hands at once',
    catches: ['provisions no lanes'],
    needs: keepsLanes,
    async run(bench) {
      const work = await lanesWith(bench, 'k1', 'k2')
      const one = await bench.consumer(work)
      const two = await bench.consumer(work, { on: await bench.open() })
      const first = await nextOfEither(bench, one, two)
      const idle = first.consumer === one ? two : one
      assert.equal(label(first.delivery.message), 'k1')
      await idle.nothing()
      await first.consumer.complete(first.delivery)
      const second = await nextOfEither(bench, one, two)
      assert.equal(label(second.delivery.message), 'k2')
    },
    otherwise: lackIsTold,
  },
  {
    name: 'a key that is held does not keep other keys waiting',
    catches: ['hands out one message at a time'],
    needs: keepsLanes,
    async run(bench) {
      const work = await lanesWith(bench, 'k1', 'x1')
      const one = await bench.consumer(work)
      const two = await bench.consumer(work, { on: await bench.open() })
      const held = await nextOfEither(bench, one, two)
      const free = await nextOfEither(bench, one, two)
      assert.deepEqual([label(held.delivery.message), label(free.delivery.message)].sort(), ['k1', 'x1'])
      assert.notEqual(held.delivery.lane, undefined)
    },
    otherwise: lackIsTold,
  },
  {
    name: 'a retry keeps the later messages of its key waiting',
    catches: ['lets siblings overtake a retry'],
    needs: (capabilities) => keepsLanes(capabilities) && capabilities.retry.inPlace,
    async run(bench) {
      const consumer = await bench.consumer(await lanesWith(bench, 'k1', 'k2', 'k3'))
      await consumer.settle(await consumer.next(), { kind: 'retry', delay: bench.shortDelay })
      // A sibling that does not wait is there at once, before the delay is over.
      assert.deepEqual(await completedInOrder(consumer, 3), ['k1', 'k2', 'k3'])
    },
    async otherwise(bench) {
      if (!keepsLanes(bench.capabilities)) return lackIsTold(bench)
      const consumer = await bench.consumer(await lanesWith(bench, 'k1', 'k2'))
      const first = await consumer.next()
      await rejectsWith(consumer.settle(first, { kind: 'retry', delay: 0 }), 'unsupported')
      await consumer.complete(first)
      assert.deepEqual(await completedInOrder(consumer, 1), ['k2'])
    },
  },
  {
    name: 'released messages take their places back',
    catches: ['puts released messages at the end'],
    needs: keepsLanes,
    async run(bench) {
      const work = await lanesWith(bench, 'k1', 'k2', 'k3')
      const consumer = await bench.consumer(work)
      const [first, second] = await consumer.gather(2)
      assert.ok(first && second)
      await consumer.settle(first, { kind: 'release' })
      await consumer.settle(second, { kind: 'release' })
      assert.deepEqual(await completedInOrder(consumer, 3), ['k1', 'k2', 'k3'])
    },
    otherwise: lackIsTold,
  },
  {
    name: 'the lane of a crashed holder goes on in order',
    catches: ['acknowledges on receipt'],
    needs: keepsLanes,
    async run(bench) {
      const work = await lanesWith(bench, 'k1', 'k2', 'k3')
      const fragile = await bench.openFragile()
      await holdBriefly(bench, work, fragile.transport, 2)
      await fragile.crash()
      const heir = await bench.consumer(work)
      assert.deepEqual(await completedInOrder(heir, 3), ['k1', 'k2', 'k3'])
    },
    otherwise: lackIsTold,
  },
  {
    name: 'whoever lost a lane cannot settle what stands behind the message that another has taken over',
    catches: ['reports every settlement as done'],
    needs: (capabilities) => keepsLanes(capabilities) && capabilities.hold === 'lock',
    async run(bench) {
      const work = await lanesWith(bench, 'k1', 'k2')
      const slow = await bench.consumer(work, { on: await bench.open(), hold: bench.shortHold })
      const [, second] = await slow.gather(2)
      assert.ok(second)
      const heir = await bench.consumer(work)
      assert.equal(label((await heir.next()).message), 'k1')
      await rejectsWith(slow.settle(second, { kind: 'complete' }), 'hold-lost')
    },
    async otherwise(bench) {
      if (!keepsLanes(bench.capabilities)) return lackIsTold(bench)
      assert.notEqual(bench.capabilities.hold, 'lock')
    },
  },
])
