import type { ChannelOptions } from '../src/runtime/channel-options.ts'
import { createConsumer } from '../src/runtime/consumer.ts'
import type { Handler } from '../src/runtime/routes.ts'
import type { Transport } from '../src/transports/seam.ts'
import type { Contender, PreparedRun } from './measure.ts'
import { type Order, orderMessage, orderType } from './payload.ts'

export const batchSize = 200

/** What every message goes through: each scenario says what its handler does and when a message is done with. */
export interface Workload {
  readonly handler: Handler<Order>
  /**
   * What means that one message is done with: its run, or an event. A loop counts what it has settled; to listen to an event for
   * every message is more than that, so it is only done where a message has several runs or none.
   */
  readonly doneOn: 'run' | 'completed' | 'dead-lettered'
  readonly options?: Partial<ChannelOptions>
}

export interface OpenTransport {
  readonly transport: Transport
  readonly cleanUp: () => Promise<void>
}

/**
 * Redrive as a user would run it: key, timeout and metrics on, logs off. It takes half of its prefetch at a time, so twice the batch
 * of the hand-written loop gives takes and commits of the same size.
 */
export function redriveContender(open: () => Promise<OpenTransport>, workload: () => Workload, keyed = true): Contender {
  return {
    name: 'redrive',
    async prepare(messages): Promise<PreparedRun> {
      const { transport, cleanUp } = await open()
      const { handler, doneOn, options } = workload()
      const done = Promise.withResolvers<void>()
      let left = messages
      const countDown = () => {
        if (--left === 0) done.resolve()
      }
      const counted: Handler<Order> = (order, context) => {
        countDown()
        return handler(order, context)
      }
      const consumer = createConsumer({ transport, service: 'bench', logger: false })
      consumer
        .channel('order', {
          concurrency: batchSize,
          prefetch: 2 * batchSize,
          deadLetter: 'dlq.order',
          order: keyed ? 'lane' : 'none',
          ...options,
        })
        .on(orderType, doneOn === 'run' ? counted : handler, { timeout: '30s' })
      await fill(transport, messages, keyed)
      if (doneOn !== 'run') consumer.on(doneOn, countDown)
      await waiting(transport)
      return {
        async run() {
          await consumer.start()
          await done.promise
          while ((await waiting(transport)) > 0) await new Promise((resolve) => setImmediate(resolve))
        },
        async cleanUp() {
          await consumer.stop()
          await cleanUp()
        },
      }
    },
  }
}

/** How many are not settled for good. */
async function waiting(transport: Transport): Promise<number> {
  return (await transport.measure({ name: 'order' })).retained
}

export async function fill(transport: Transport, messages: number, keyed = true): Promise<void> {
  await transport.provision(
    {
      channels: [
        { address: { name: 'dlq.order' }, role: 'dead-letter' },
        { address: { name: 'order' }, role: 'work', deadLetterTo: { name: 'dlq.order' }, lanes: keyed },
      ],
    },
    'apply',
  )
  for (let sent = 0; sent < messages; ) {
    const batch = Math.min(1000, messages - sent)
    await Promise.all(Array.from({ length: batch }, (_, index) => transport.send({ name: 'order' }, orderMessage(sent + index))))
    sent += batch
  }
}
