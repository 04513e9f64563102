import { once } from 'node:events'
import { Consumer } from 'sqs-consumer'
import { channels, type Library } from '../library.ts'
import { fillQueues, lettersIn, openClient, pollers, urlOf } from './queues.ts'

/** One of its consumers asks for ten, handles them, deletes them by one request and asks again, so there are as many as the others have polls. */
export const library: Library = {
  fill: fillQueues,
  letters: lettersIn,
  async consume(task, progress) {
    const sqs = openClient(task.url)
    const queueUrl = await urlOf(sqs, task, channels.work)
    const consumers = Array.from({ length: pollers }, () => {
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
        const stopped = consumers.map((consumer) => once(consumer, 'stopped'))
        for (const consumer of consumers) consumer.stop()
        await Promise.all(stopped)
        sqs.destroy()
      },
    }
  },
}
