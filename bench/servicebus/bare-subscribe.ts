import { ServiceBusClient } from '@azure/service-bus'
import { inHand } from '../library.ts'
import { handleBare, settleBare } from './bare.ts'
import { fillQueue, lettersOf } from './queue.ts'
import type { Library } from './task.ts'

/** The SDK pushes, with as many calls at one time as everybody has in hand. */
export const library: Library = {
  fill: fillQueue,
  letters: lettersOf,
  async consume({ connectionString, queue, work }, progress) {
    const client = new ServiceBusClient(connectionString)
    const receiver = client.createReceiver(queue, { skipParsingBodyAsJson: true, maxAutoLockRenewalDurationInMs: 0 })
    receiver.subscribe(
      {
        async processMessage(message) {
          progress.began()
          handleBare(message)
          await settleBare(receiver, message, work)
          progress.handled()
        },
        async processError() {},
      },
      { autoCompleteMessages: false, maxConcurrentCalls: inHand },
    )
    return { settled: async () => {}, close: () => client.close() }
  },
}
