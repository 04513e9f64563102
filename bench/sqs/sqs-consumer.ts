import { once } from 'node:events'
import { Consumer } from 'sqs-consumer'
import type { Consumption, Progress } from '../consuming.ts'
import { channels, type Library, type Task } from '../library.ts'
import { fillQueues, lettersIn, openClient, pollers, urlOf } from './queues.ts'

/** One asks for ten, handles them, deletes them by one request and asks again: that is what its documents show. */
export const one: { readonly library: Library } = consumers(1)
/** As many as the others have polls; nothing in its documents says so. */
export const sideBySide: { readonly library: Library } = consumers(pollers)

function consumers(many: number): { readonly library: Library } {
  return { library: { fill: fillQueues, letters: lettersIn, consume: (task, progress) => consume(many, task, progress) } }
}

async function consume(many: number, task: Task, progress: Progress): Promise<Consumption> {
  const sqs = openClient(task.url)
  const queueUrl = await urlOf(sqs, task, channels.work)
  const running = Array.from({ length: many }, () => {
    const consumer = Consumer.create({
      ...{ sqs, queueUrl, batchSize: 10, waitTimeSeconds: 1, visibilityTimeout: 30, messageAttributeNames: ['All'] },
      async handleMessageBatch(messages) {
        for (const { Body = '' } of messages) {
          progress.began()
          JSON.parse(Body)
        }
        return messages
      },
    })
    // Told of each when the answer to the request that deletes it is there.
    consumer.on('message_processed', () => progress.handled())
    consumer.on('error', () => {})
    consumer.on('processing_error', () => {})
    consumer.start()
    return consumer
  })
  return {
    settled: async () => {},
    async close() {
      const stopped = running.map((consumer) => once(consumer, 'stopped'))
      for (const consumer of running) consumer.stop()
      await Promise.all(stopped)
      sqs.destroy()
    },
  }
}
