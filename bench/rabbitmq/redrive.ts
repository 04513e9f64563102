import type { ChannelOptions } from '../../src/runtime/channel-options.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { orderType } from '../payload.ts'
import type { Consume, Work } from './task.ts'

/** A world in which every message fails looks like an outage: without `breaker: false` nothing would be dead-lettered in it. */
const policies: Readonly<Record<Work, Partial<ChannelOptions>>> = {
  succeed: {},
  'retry-in-place': { retry: { immediate: 1, delayed: { retries: 0 } }, breaker: false },
  retry: {
    retry: { immediate: 0, delayed: { retries: 1, backoff: { kind: 'fixed', first: 1, max: 1, jitter: 0 } } },
    breaker: false,
  },
  'dead-letter': { retry: { immediate: 0, delayed: { retries: 0 } }, breaker: false },
}

/** As a user would run it: topology checked, timeout and metrics on, logs off. As many handlers at a time as messages in hand. */
export const consume: Consume = async ({ url, queue, deadLetters, prefetch, queueType, work }, progress) => {
  const transport = rabbitmq({ url, queueType })
  const consumer = createConsumer({ transport, service: 'bench', logger: false })
  consumer
    .channel(queue, { concurrency: prefetch, prefetch, deadLetter: deadLetters, order: 'none', ...policies[work] })
    .on(orderType, async (_order, { retryCount }) => {
      progress.began()
      if (work === 'dead-letter') progress.handled()
      if (work === 'dead-letter' || (work !== 'succeed' && retryCount === 0)) throw new Error('the first attempt fails')
      progress.handled()
    })
  await consumer.start()
  return { settled: () => consumer.stop(), close: () => transport.close() }
}
