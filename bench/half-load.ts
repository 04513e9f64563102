import { createConsumer } from '../src/runtime/consumer.ts'
import { memory } from '../src/transports/memory/memory.ts'
import type { Transport } from '../src/transports/seam.ts'
import { median } from './measure.ts'
import { type Order, orderMessage, orderType } from './payload.ts'
import { batchSize, fill } from './redrive-contender.ts'

/**
 * Milliseconds from send to the start of the handler, at the 99th percentile, while messages come at half the rate at which this
 * very arrangement, producer and consumer in one process, can do no more.
 */
export interface HalfLoad {
  readonly perSecond: number
  readonly p99Ms: { readonly bare: number; readonly redrive: number }
}

type Consume = (transport: Transport, seen: (order: Order) => void) => Promise<() => Promise<void>>

export async function halfLoad(rounds: number): Promise<HalfLoad> {
  const perSecond = Math.round((await fullLoad()) / 2)
  const p99 = { bare: [] as number[], redrive: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    p99.bare.push(await latencyOf(bare, perSecond))
    p99.redrive.push(await latencyOf(redrive, perSecond))
  }
  return { perSecond, p99Ms: { bare: median(p99.bare), redrive: median(p99.redrive) } }
}

const seconds = 3

/** Messages per second when the producer never waits for anything but a backlog of a few thousand. */
async function fullLoad(): Promise<number> {
  const transport = memory()
  await fill(transport, 0)
  let seen = 0
  const stop = await redrive(transport, () => void seen++)
  const startedAt = performance.now()
  for (let sent = 0; performance.now() - startedAt < seconds * 1000; ) {
    for (let burst = 0; burst < 100 && sent - seen < 2000; burst++) void transport.send({ name: 'order' }, orderMessage(sent++))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await stop()
  await transport.close()
  return seen / seconds
}

async function latencyOf(consume: Consume, perSecond: number): Promise<number> {
  const transport = memory()
  await fill(transport, 0)
  const sentAt = new Float64Array(perSecond * (seconds + 1))
  const latencies: number[] = []
  const stop = await consume(transport, ({ order }) => latencies.push(performance.now() - (sentAt[order] ?? 0)))
  await sendSteadily(transport, perSecond, sentAt)
  while ((await transport.measure({ name: 'order' })).retained > 0) await new Promise((resolve) => setImmediate(resolve))
  await stop()
  await transport.close()
  // The first half warms up the code.
  const warm = latencies.slice(latencies.length / 2).sort((a, b) => a - b)
  return warm[Math.floor(warm.length * 0.99)] ?? Number.NaN
}

async function sendSteadily(transport: Transport, perSecond: number, sentAt: Float64Array): Promise<void> {
  const startedAt = performance.now()
  for (let sent = 0; sent < perSecond * seconds; ) {
    const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - startedAt) / 1000) * perSecond))
    for (; sent < due; sent++) {
      sentAt[sent] = performance.now()
      void transport.send({ name: 'order' }, orderMessage(sent))
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

async function bare(transport: Transport, seen: (order: Order) => void): Promise<() => Promise<void>> {
  const receiver = await transport.receive({ name: 'order' }, { prefetch: batchSize, hold: 30_000 })
  let stopping = false
  const loop = (async () => {
    while (!stopping) {
      for (const delivery of await receiver.take(batchSize, 1000)) {
        seen(JSON.parse(decoder.decode(delivery.message.body ?? new Uint8Array())) as Order)
        await transport.settle(delivery, { kind: 'complete' })
      }
    }
  })()
  return async () => {
    stopping = true
    await receiver.close()
    await loop
  }
}

async function redrive(transport: Transport, seen: (order: Order) => void): Promise<() => Promise<void>> {
  const consumer = createConsumer({ transport, service: 'bench', logger: false })
  consumer
    .channel('order', { concurrency: batchSize, prefetch: batchSize, deadLetter: 'dlq.order' })
    .on(orderType, async (order) => seen(order), { timeout: '30s' })
  await consumer.start()
  return () => consumer.stop()
}
