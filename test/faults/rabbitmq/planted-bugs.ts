import { setTimeout as sleep } from 'node:timers/promises'
import type { Transport } from '../../../src/transports/seam.ts'
import { faultChannels } from '../messages.ts'

/** Long enough that whoever is to die before has died, on a busy machine too. Milliseconds. */
const unconfirmedFor = 3000

/** Mistakes that real consumers of RabbitMQ have made, each as our transport with that one mistake. */
export const plantedBugs: Readonly<Record<string, (healthy: Transport) => Transport>> = {
  /** Its `send` says "confirmed" at once, so the original is acknowledged while the letter may still be lost. */
  'acknowledges before the letter is confirmed': (healthy) => ({
    ...healthy,
    async send(address, message, options) {
      setTimeout(() => void healthy.send(address, message, options).catch(() => {}), unconfirmedFor)
      return { duplicate: false }
    },
  }),
  'completes what it could not dead-letter': (healthy) => ({
    ...healthy,
    send: (address, message, options) =>
      healthy.send(address, message, options).catch((error) => {
        if (address.name === faultChannels.deadLetter) return { duplicate: false }
        throw error
      }),
  }),
  'takes nothing while a letter is refused': (healthy) => {
    let isRefused = false
    return {
      ...healthy,
      async send(address, message, options) {
        const sending = healthy.send(address, message, options)
        if (address.name === faultChannels.deadLetter) isRefused = await sending.then(() => false).catch(() => true)
        return sending
      },
      async receive(address, options) {
        const { lost, close, take } = await healthy.receive(address, options)
        const takeLater: typeof take = async (max, wait) => {
          while (isRefused) await sleep(20)
          return take(max, wait)
        }
        return { lost, close, take: takeLater }
      },
    }
  },
  'acknowledges on receipt': (healthy) => ({
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
}
