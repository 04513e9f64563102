import { ServiceBusClient } from '@azure/service-bus'
import { inHand } from '../library.ts'
import { handleAndSettle } from './bare.ts'
import { fillQueue, lettersOf } from './queue.ts'
import type { Library } from './task.ts'

/** The SDK asked for one batch after the other; a batch is settled while the next one is on its way. */
export const library: Library = {
  fill: fillQueue,
  letters: lettersOf,
  async consume(task, progress) {
    const { connectionString, queue } = task
    const client = new ServiceBusClient(connectionString)
    const receiver = client.createReceiver(queue, { skipParsingBodyAsJson: true, maxAutoLockRenewalDurationInMs: 0 })
    let isClosed = false
    let settling: Promise<unknown> = Promise.resolve()

    async function read(): Promise<void> {
      while (!isClosed) {
        const messages = await receiver.receiveMessages(inHand, { maxWaitTimeInMs: 1000 })
        const handled = messages.map((message) => handleAndSettle(receiver, message, task, progress))
        settling = Promise.all([settling, ...handled])
      }
    }

    const reading = read().catch(() => {})
    return {
      settled: async () => void (await settling),
      async close() {
        isClosed = true
        await client.close()
        await reading
      },
    }
  },
}
