import { createConsumer } from '../src/runtime/consumer.ts'
import type { Transport } from '../src/transports/seam.ts'
import type { Consumption, Progress } from './consuming.ts'
import { channels, inHand, type Work } from './library.ts'
import { orderType } from './payload.ts'

/** As a user would run it: topology checked, timeout and metrics on, logs off. */
export async function consumeWith(transport: Transport, work: Work, progress: Progress): Promise<Consumption> {
  const consumer = createConsumer({ transport, service: 'bench', logger: false })
  consumer
    .channel(channels.work, {
      concurrency: inHand,
      prefetch: 2 * inHand,
      deadLetter: channels.deadLetters,
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
}
