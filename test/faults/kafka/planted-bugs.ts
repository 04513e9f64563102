import type { Transport } from '../../../src/transports/seam.ts'

/** Long enough that whoever is to die before has died, on a busy machine too. Milliseconds. */
const unconfirmedFor = 3000

/** Mistakes that real consumers of Kafka have made, each as our transport with that one mistake. */
export const plantedBugs: Readonly<Record<string, (healthy: Transport) => Transport>> = {
  /** Its `send` says "confirmed" at once, so the offset is committed while the letter may still be lost. */
  'commits before the letter is confirmed': (healthy) => ({
    ...healthy,
    async send(address, message, options) {
      setTimeout(() => void healthy.send(address, message, options).catch(() => {}), unconfirmedFor)
      return { duplicate: false }
    },
  }),
  /** As with commits by a timer: everything that was fetched counts as done. */
  'commits what it has only received': (healthy) => ({
    ...healthy,
    async receive(address, options) {
      const receiver = await healthy.receive(address, options)
      return {
        lost: receiver.lost,
        close: receiver.close,
        async take(max, wait) {
          const batch = await receiver.take(max, wait)
          await Promise.allSettled(batch.map((delivery) => healthy.settle(delivery, { kind: 'complete' })))
          return batch
        },
      }
    },
  }),
  /** What seed 003 calls best effort. */
  'commits what it could not dead-letter': (healthy) => ({
    ...healthy,
    send: (address, message, options) => healthy.send(address, message, options).catch(() => ({ duplicate: false })),
  }),
}
