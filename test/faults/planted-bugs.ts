import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery, Transport } from '../../src/transports/seam.ts'
import { type TransportBug, transportBugs } from '../sim/planted/transport-bugs.ts'

/** What the simulator must find, two ways to call a message poison for what it did not do, and one to stand still. */
export const consumerBugs: Readonly<Record<string, TransportBug>> = {
  ...transportBugs,
  'blames everything that was in hand': counting(({ suspect, turns }) => (suspect ? Number.MAX_SAFE_INTEGER : turns)),
  'takes nothing while a letter is refused': standsStill,
  'counts hand-outs for turns': counting(({ deliveries }) => deliveries - 1),
}

function counting(turnsOf: (delivery: Delivery) => number): TransportBug {
  return (transport) => ({
    ...transport,
    async receive(address, options) {
      const receiver = await transport.receive(address, options)
      const { lost, close } = receiver
      const take: typeof receiver.take = async (max, wait) =>
        (await receiver.take(max, wait)).map((delivery) => ({ ...delivery, turns: turnsOf(delivery) }))
      return { lost, close, take }
    },
  })
}

function standsStill(transport: Transport): Transport {
  let isRefused = false
  const remember = async <T>(work: Promise<T>): Promise<T> => {
    await work.then(
      () => (isRefused = false),
      () => (isRefused = true),
    )
    return work
  }
  return {
    ...transport,
    settle: (delivery, settlement) =>
      settlement.kind === 'move' ? remember(transport.settle(delivery, settlement)) : transport.settle(delivery, settlement),
    send: (address, message, options) => remember(transport.send(address, message, options)),
    async receive(address, options) {
      const receiver = await transport.receive(address, options)
      const take: typeof receiver.take = async (max, wait) => {
        while (isRefused) await sleep(20)
        return receiver.take(max, wait)
      }
      return { lost: receiver.lost, close: receiver.close, take }
    },
  }
}
