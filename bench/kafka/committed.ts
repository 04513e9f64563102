import type { Consumer } from 'kafkajs'

/** Resolves when a consumer of kafkajs has committed so many messages: to stop it would also wait for the fetch that is under way. */
export function committed(consumer: Consumer, messages: number): Promise<void> {
  const offsets = new Map<number, number>()
  const { promise, resolve } = Promise.withResolvers<void>()
  consumer.on(consumer.events.COMMIT_OFFSETS, ({ payload }) => {
    for (const { partitions } of payload.topics)
      for (const { partition, offset } of partitions) offsets.set(partition, Number(offset))
    if ([...offsets.values()].reduce((sum, offset) => sum + offset, 0) >= messages) resolve()
  })
  return promise
}
