import { ServiceBusClient } from '@azure/service-bus'
import { inHand } from '../library.ts'
import { handleAndSettle } from './bare.ts'
import { fillQueue, lettersOf } from './queue.ts'
import type { Library } from './task.ts'

/** The SDK pushes, with as many calls at one time as everybody has in hand. */
export const library: Library = {
  fill: fillQueue,
  letters: lettersOf,
  async consume(task, progress) {
    const { connectionString, queue } = task
    const client = new ServiceBusClient(connectionString)
    const receiver = client.createReceiver(queue, { skipParsingBodyAsJson: true, maxAutoLockRenewalDurationInMs: 0 })
    const settling = new Set<Promise<void>>()
    receiver.subscribe(
      {
        processMessage(message) {
          const settled = handleAndSettle(receiver, message, task, progress)
          settling.add(settled)
          return settled.finally(() => settling.delete(settled))
        },
        async processError() {},
      },
      { autoCompleteMessages: false, maxConcurrentCalls: inHand },
    )
    return { settled: async () => void (await Promise.all(settling)), close: () => client.close() }
  },
}
