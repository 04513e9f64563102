import { createConsumer } from '../src/runtime/consumer.ts'
import { memory } from '../src/transports/memory/memory.ts'
import type { Transport } from '../src/transports/seam.ts'
import type { Contender, Figures } from './measure.ts'
import { type Order, orderMessage, orderType } from './payload.ts'
import { batchSize, fill } from './redrive-contender.ts'
import type { Scenario } from './scenario.ts'

/**
 * How long messages wait for their handler while they come steadily: producer and consumer in one process, on the memory
 * transport. `messages` is how many come in the second that is measured.
 */
export const halfLoadScenarios: readonly Scenario[] = [
  {
    name: 'success-half-load-memory',
    messages: 0,
    contenders: () => [
      fullLoad('full-load', redrive),
      steadyLoad('redrive', redrive),
      steadyLoad('bare', bare),
      steadyLoad('twin', bare),
    ],
  },
]

type Consume = (transport: Transport, seen: (order: Order) => void) => Promise<() => Promise<void>>

/** Finds out how many messages a second this arrangement can do when the producer waits for nothing but a backlog of 2,000. */
function fullLoad(name: string, consume: Consume): Contender {
  return {
    name,
    async prepare() {
      const transport = await openChannel()
      let seen = 0
      const seconds = 1
      const stop = await consume(transport, () => void seen++)
      return {
        async run() {
          const startedAt = performance.now()
          for (let sent = 0; performance.now() - startedAt < seconds * 1000; ) {
            for (let burst = 0; burst < 100 && sent - seen < 2000; burst++) send(transport, sent++)
            await nextTurn()
          }
        },
        figures: () => ({ perSecond: seen / seconds }),
        cleanUp: () => close(transport, stop),
      }
    },
  }
}

function steadyLoad(name: string, consume: Consume): Contender {
  return {
    name,
    async prepare(perSecond) {
      const transport = await openChannel()
      let seen: (order: number) => void = () => {}
      const stop = await consume(transport, ({ order }) => seen(order))
      // Out of the slow start, and until the code is compiled.
      await sendSteadily(transport, perSecond, Math.ceil(perSecond / 2), () => {})
      let figures: Figures = {}
      return {
        keepsItsHeap: true,
        async run() {
          figures = await waits(transport, perSecond, (listener) => (seen = listener))
        },
        figures: () => figures,
        cleanUp: () => close(transport, stop),
      }
    },
  }
}

/**
 * A wait begins when a message was due and not when it was sent: whatever keeps the process from sending keeps a message
 * waiting too.
 */
async function waits(transport: Transport, perSecond: number, listen: (seen: (order: number) => void) => void): Promise<Figures> {
  const dueAt = new Float64Array(perSecond)
  const waited = new Float64Array(perSecond)
  const all = Promise.withResolvers<void>()
  let left = perSecond
  listen((order) => {
    waited[order] = performance.now() - (dueAt[order] ?? 0)
    if (--left === 0) all.resolve()
  })
  await sendSteadily(transport, perSecond, perSecond, (order, due) => {
    dueAt[order] = due
  })
  await all.promise
  waited.sort()
  return { p50Ms: at(waited, 0.5), p99Ms: at(waited, 0.99) }
}

function at(sorted: Float64Array, share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}

async function sendSteadily(
  transport: Transport,
  perSecond: number,
  messages: number,
  sending: (order: number, dueAt: number) => void,
): Promise<void> {
  const startedAt = performance.now()
  for (let sent = 0; sent < messages; ) {
    const due = Math.min(messages, Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1)
    for (; sent < due; sent++) {
      sending(sent, startedAt + (sent / perSecond) * 1000)
      send(transport, sent)
    }
    await nextTurn()
  }
}

function send(transport: Transport, order: number): void {
  void transport.send({ name: 'order' }, orderMessage(order))
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

async function openChannel(): Promise<Transport> {
  const transport = memory()
  await fill(transport, 0)
  return transport
}

async function close(transport: Transport, stop: () => Promise<void>): Promise<void> {
  await stop()
  await transport.close()
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
