import { createConsumer } from '../../src/runtime/consumer.ts'
import { servicebus } from '../../src/transports/servicebus/servicebus.ts'
import { inHand } from '../library.ts'
import { orderType } from '../payload.ts'
import { fillQueue, lettersOf } from './queue.ts'
import type { Library } from './task.ts'

/** As a user would run it: topology checked, timeout and metrics on, logs off; letters in the sub-queue. */
export const library: Library = {
  fill: fillQueue,
  letters: lettersOf,
  async consume({ connectionString, adminEndpoint, queue, work }, progress) {
    const transport = servicebus({ connectionString, adminEndpoint })
    const consumer = createConsumer({ transport, service: 'bench', logger: false })
    consumer
      .channel(queue, {
        concurrency: inHand,
        prefetch: 2 * inHand,
        order: 'none',
        breaker: false,
        retry: { delayed: { retries: 0 } },
      })
      .on(orderType, async () => {
        progress.began()
        progress.handled()
        if (work === 'dead-letter') throw new Error('this one never works')
      })
    await consumer.start()
    return { settled: () => consumer.stop(), close: () => transport.close() }
  },
}
