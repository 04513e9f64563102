import type { Transport } from '../../src/transports/seam.ts'
import { sqs } from '../../src/transports/sqs/sqs.ts'
import type { Library } from '../library.ts'
import { consumeWith } from '../redrive-library.ts'
import { fillQueues, lettersIn } from './queues.ts'

/** A consumer that stops waits for the answer to its last question, which may take a second: no message is settled then any more, and nobody else here waits for it. */
export const library: Library = {
  fill: fillQueues,
  letters: lettersIn,
  async consume({ url, prefix, work, messages }, progress) {
    const settled = Promise.withResolvers<void>()
    const transport = tellSettlements(sqs({ endpoint: url, prefix, pollFor: '1s' }), messages, settled.resolve)
    const consumption = await consumeWith(transport, work, progress)
    return {
      settled: () => settled.promise,
      async close() {
        await consumption.settled()
        await consumption.close()
      },
    }
  },
}

function tellSettlements(transport: Transport, messages: number, onLast: () => void): Transport {
  let left = messages
  return {
    ...transport,
    async settle(delivery, settlement) {
      await transport.settle(delivery, settlement)
      if (--left === 0) onLast()
    },
  }
}
