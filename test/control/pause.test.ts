import { describe, expect, onTestFinished, test } from 'vitest'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { createTestBench } from '../../src/testing/testing.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { gate } from '../testing-world.ts'
import { memoryVault } from './memory-vault.ts'
import { reportTo } from './report-to.ts'
import { Order } from './shop.fixture.ts'

const orders = { service: 'orders', channel: 'order' }
const by = { actor: 'ana' }
const minute = 60_000

/** What became of orders around two pauses: one while handlers run, one while nothing is to do. */
interface Evidence {
  readonly whilePaused: readonly number[]
  readonly processed: readonly number[]
  readonly letters: number
}

/** `plant` stands between the consumer and its broker, and hears whether the channel is paused. */
async function pausedTwice(
  plant: (transport: Transport, isPaused: () => boolean) => Transport = (transport) => transport,
): Promise<Evidence> {
  const bench = createTestBench()
  const vault = memoryVault()
  const processed: number[] = []
  const whilePaused: number[] = []
  const slow = gate()
  const plane = createControlPlane({
    ...{ vault, clock: bench.clock, newId: () => 'id', draw: (bytes: number) => new Uint8Array(bytes) },
    ...{ sources: [], transportNamed: () => undefined },
  })
  const isPaused = (): boolean => consumer.channels()[0]?.state === 'paused'
  const consumer = bench.consumer({
    service: 'orders',
    transport: plant(bench.transport, isPaused),
    platform: { ...bench.platform, postJson: reportTo(plane) },
    controlPlane: { url: 'http://localhost', token: 'token' },
  })
  consumer
    .channel('order', { deadLetter: 'dlq.order', order: 'none', concurrency: 2, prefetch: 4 })
    .on(Order, async ({ order }) => {
      if (order < 5) await slow.promise
      processed.push(order)
    })
  onTestFinished(async () => {
    await consumer.stop()
    await plane.close()
    await vault.close()
  })
  const publish = async (from: number, to: number): Promise<void> => {
    for (let order = from; order < to; order++) await bench.producer.send(Order, { order, customer: 'c' })
  }
  const told = async (verb: 'pause' | 'resume'): Promise<void> => {
    await plane.consumers[verb](orders, by)
    await bench.clock.advance(5000)
  }

  await consumer.start()
  await publish(0, 5)
  await bench.clock.advance(1000)
  await told('pause')
  const begun = processed.length
  await publish(5, 10)
  slow.resolve()
  await bench.clock.advance(minute)
  whilePaused.push(...processed.slice(begun).filter((order) => order >= 5))
  await told('resume')
  await bench.clock.advance(minute)

  await told('pause')
  const idle = processed.length
  await publish(10, 15)
  await bench.clock.advance(minute)
  whilePaused.push(...processed.slice(idle))
  await told('resume')
  await bench.clock.advance(10 * minute)
  return { whilePaused, processed: processed.toSorted((a, b) => a - b), letters: (await bench.messages('dlq.order')).length }
}

describe('a channel that the control plane pauses and resumes', () => {
  const well: Evidence = { whilePaused: [], processed: Array.from({ length: 15 }, (_, order) => order), letters: 0 }

  test('finishes what is in hand, takes no more, and goes on with everything, once', async () => {
    expect(await pausedTwice()).toEqual(well)
  })

  test('would be seen to forget what it gives back', async () => {
    const forgetful = await pausedTwice((transport) => ({
      ...transport,
      settle: (delivery, settlement) =>
        transport.settle(delivery, settlement.kind === 'release' ? { kind: 'complete' } : settlement),
    }))
    expect(forgetful).not.toEqual(well)
  })

  test('would be seen to forget what it had in hand', async () => {
    const forgetful = await pausedTwice((transport, isPaused) => ({
      ...transport,
      settle: async (delivery, settlement) => {
        if (settlement.kind !== 'complete' || !isPaused()) return transport.settle(delivery, settlement)
      },
    }))
    expect(forgetful).not.toEqual(well)
  })
})
