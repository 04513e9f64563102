import type { Delivery } from '../../src/transports/seam.ts'
import { type TransportBug, transportBugs } from '../sim/planted/transport-bugs.ts'

/** What the simulator must find, and two ways to call a message poison for what it did not do. */
export const consumerBugs: Readonly<Record<string, TransportBug>> = {
  ...transportBugs,
  'blames everything that was in hand': counting(({ suspect, turns }) => (suspect ? Number.MAX_SAFE_INTEGER : turns)),
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
