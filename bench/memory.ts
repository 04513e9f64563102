import { memory } from '../src/transports/memory/memory.ts'
import type { Delivery, Settlement, Transport } from '../src/transports/seam.ts'
import type { Contender } from './measure.ts'
import type { Order } from './payload.ts'
import { batchSize, fill, type OpenTransport, redriveContender } from './redrive-contender.ts'
import type { Scenario } from './scenario.ts'
import * as workloads from './workloads.ts'

/** What the runtime adds to a loop that takes, parses, handles and settles on the very same transport. */
export const memoryScenarios: readonly Scenario[] = [
  {
    name: 'success-memory',
    messages: 100_000,
    warmUps: 5,
    contenders: () => [bare(complete), redriveContender(open, workloads.success)],
  },
  { name: 'fail-once-memory', messages: 50_000, contenders: () => [bare(retryOnce), redriveContender(open, workloads.failOnce)] },
  {
    name: 'dead-letter-memory',
    messages: 50_000,
    contenders: () => [bare(moveAway), redriveContender(open, workloads.deadLetter)],
  },
]

async function open(): Promise<OpenTransport> {
  const transport = memory()
  return { transport, cleanUp: () => transport.close() }
}

type Answer = (delivery: Delivery) => Settlement

const complete: Answer = () => ({ kind: 'complete' })
const retryOnce: Answer = ({ deliveries }) => (deliveries === 1 ? { kind: 'retry', delay: 1 } : { kind: 'complete' })
const moveAway: Answer = ({ message }) => ({ kind: 'move', to: { name: 'dlq.order' }, message })

const decoder = new TextDecoder('utf-8', { fatal: true })

function bare(answer: Answer): Contender {
  return {
    name: 'bare',
    async prepare(messages) {
      const { transport, cleanUp } = await open()
      await fill(transport, messages)
      return { run: () => consume(transport, messages, answer), cleanUp }
    },
  }
}

async function consume(transport: Transport, messages: number, answer: Answer): Promise<void> {
  const receiver = await transport.receive({ name: 'order' }, { prefetch: batchSize, hold: 30_000 })
  for (let left = messages; left > 0; ) {
    const settled: Promise<void>[] = []
    for (const delivery of await receiver.take(batchSize, 1000)) {
      await handle(JSON.parse(decoder.decode(delivery.message.body ?? new Uint8Array())) as Order)
      const settlement = answer(delivery)
      settled.push(transport.settle(delivery, settlement))
      if (settlement.kind !== 'retry') left--
    }
    await Promise.all(settled)
  }
}

async function handle(_order: Order): Promise<void> {}
