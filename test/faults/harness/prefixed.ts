import type { Address, Delivery, Transport } from '../../../src/transports/seam.ts'

/** The real transport, whose names all begin with something of their own: arenas that share a namespace do not meet. */
export function prefixed(transport: Transport, prefix: string): Transport {
  const there = (address: Address): Address => ({ ...address, name: prefix + address.name })
  return {
    ...transport,
    provision: ({ channels }, mode) =>
      transport.provision(
        {
          channels: channels.map(({ address, deadLetterTo, ...channel }) => ({
            ...channel,
            address: there(address),
            ...(deadLetterTo && { deadLetterTo: there(deadLetterTo) }),
          })),
        },
        mode,
      ),
    async receive(address, options) {
      const receiver = await transport.receive(there(address), options)
      const here = (delivery: Delivery): Delivery => ({ ...delivery, address })
      return {
        lost: receiver.lost,
        close: receiver.close,
        take: async (max, wait) => (await receiver.take(max, wait)).map(here),
      }
    },
    send: (address, message, options) => transport.send(there(address), message, options),
    browse: (address, page) => transport.browse(there(address), page),
    measure: (address) => transport.measure(there(address)),
  }
}
