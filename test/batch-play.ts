import type { Message } from '../src/core/message.ts'
import type { BatchOutcome } from '../src/runtime/batch/answer.ts'
import type { BatchContext, BatchHandler, BatchMessage } from '../src/runtime/batch/batch-message.ts'
import type { BatchOptions } from '../src/runtime/batch/batch-options.ts'
import type { ChannelOptions } from '../src/runtime/channel-options.ts'
import type { Consumer } from '../src/runtime/consumer.ts'
import type { ConsumerOptions } from '../src/runtime/consumer-options.ts'
import type { Middleware } from '../src/runtime/routes.ts'
import { Job, jobMessage, testingWorld, type World } from './testing-world.ts'

export type Messages = readonly BatchMessage<unknown>[]

export interface BatchPlay {
  readonly world: World
  readonly consumer: Consumer
  /** The values of every call, in the order of the calls. */
  readonly calls: readonly (readonly unknown[])[]
  /** Puts them into the channel all at once. A value such as `a1` has the key `a` where the channel keeps order. */
  put(...values: readonly string[]): Promise<void>
  /** Ids of the messages that such events were about. */
  told(name: 'completed' | 'dead-lettered' | 'invalid' | 'retried' | 'failed' | 'released' | 'discarded'): readonly string[]
}

export interface BatchPlayOptions {
  readonly channel?: Partial<ChannelOptions>
  readonly batch?: BatchOptions
  readonly consumer?: Partial<ConsumerOptions>
  readonly middleware?: Middleware
  readonly world?: World
}

export const allDone = (messages: Messages): BatchOutcome[] => messages.map((message) => message.done())

/** A consumer of batches whose window has grown, so that whatever is put at one time is in hand at one time. */
export async function playBatches(
  handler: (messages: Messages, batch: BatchContext) => ReturnType<BatchHandler<unknown>>,
  options: BatchPlayOptions = {},
): Promise<BatchPlay> {
  const world = options.world ?? testingWorld()
  const consumer = world.consumer(options.consumer)
  const calls: (readonly unknown[])[] = []
  let isWarm = false
  if (options.middleware) consumer.use((context, next) => (isWarm ? options.middleware?.(context, next) : next()))
  const retry = { delayed: { retries: 2, backoff: { first: '1m', jitter: 0 } } }
  consumer
    .channel('work', { deadLetter: 'dead', invalid: 'invalid', concurrency: 4, prefetch: 64, retry, ...options.channel })
    .onBatch(Job, (messages, batch) => (isWarm ? called(messages, batch) : allDone(messages)), {
      size: 10,
      wait: '1s',
      ...options.batch,
    })
  await consumer.start()
  for (let n = 0; n < 150; n++) await world.broker.send({ name: 'work' }, jobMessage('warm'))
  await world.clock.advance(120_000)
  isWarm = true
  world.told.length = 0

  function called(messages: Messages, batch: BatchContext): ReturnType<BatchHandler<unknown>> {
    calls.push(messages.map(({ value }) => value))
    return handler(messages, batch)
  }

  return {
    world,
    consumer,
    calls,
    async put(...values) {
      for (const value of values) {
        const key: Partial<Message> = options.channel?.order === undefined ? {} : { key: value.slice(0, 1) }
        await world.broker.send({ name: 'work' }, jobMessage(value, { id: value, ...key }))
      }
      await world.clock.settle()
    },
    told: (name) => world.of(name).map(({ messageId }) => messageId ?? ''),
  }
}
