import { createConsumer } from '../../src/runtime/consumer.ts'
import { kafka } from '../../src/transports/kafka/kafka.ts'
import { orderType } from '../payload.ts'
import { type Consume, fails } from './task.ts'

/** As a user would run it: topology checked, timeout and metrics on, logs off. */
export const consume: Consume = async ({ url, topic, deadLetters, group, work }, progress) => {
  const transport = kafka({ bootstrapServers: url, groupId: group })
  const consumer = createConsumer({ transport, service: 'bench', logger: false })
  consumer
    .channel(topic, {
      concurrency: 200,
      prefetch: 400,
      deadLetter: deadLetters,
      order: 'none',
      breaker: false,
      retry: { delayed: { retries: 0 } },
    })
    .on(orderType, async ({ order }) => {
      progress.began()
      progress.handled()
      if (fails(work, order)) throw new Error('this one never works')
    })
  await consumer.start()
  return { settled: () => consumer.stop(), close: () => transport.close() }
}
