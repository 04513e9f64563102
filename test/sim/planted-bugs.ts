import type { Delivery, Settlement, Transport } from '../../src/transports/seam.ts'
import type { Plant } from './simulate.ts'

/** Mistakes that real systems of this kind have made, each as the real transport with that one mistake. */
export const plantedBugs: Readonly<Record<string, Plant>> = {
  'completes the source before its letter is durable': settling((transport, delivery, settlement) =>
    settlement.kind === 'move'
      ? transport.settle(delivery, { kind: 'complete' }).then(() => writeLater(transport, settlement))
      : transport.settle(delivery, settlement),
  ),
  'swallows a letter that could not be written': settling((transport, delivery, settlement) =>
    settlement.kind === 'move'
      ? transport.settle(delivery, settlement).catch(() => transport.settle(delivery, { kind: 'complete' }))
      : transport.settle(delivery, settlement),
  ),
  'takes a retry for done': settling((transport, delivery, settlement) =>
    transport.settle(delivery, settlement.kind === 'retry' ? { kind: 'complete' } : settlement),
  ),
  'counts a release as a turn': settling((transport, delivery, settlement) =>
    transport.settle(delivery, settlement.kind === 'release' ? { kind: 'retry', delay: 0 } : settlement),
  ),
  'hands messages out in reverse': taking((batch) => batch.toReversed()),
  'completes on receipt': (transport) => ({
    ...taking((batch) => batch)(transport),
    async receive(address, options) {
      const receiver = await transport.receive(address, options)
      return {
        lost: receiver.lost,
        close: receiver.close,
        async take(max, wait) {
          const batch = await receiver.take(max, wait)
          for (const delivery of batch) await transport.settle(delivery, { kind: 'complete' }).catch(() => {})
          return batch
        },
      }
    },
  }),
  'forgets every tenth message': taking((batch) => batch.filter(({ message }) => !message.id?.endsWith('7'))),
}

function settling(settle: (transport: Transport, delivery: Delivery, settlement: Settlement) => Promise<void>): Plant {
  return (transport) => ({ ...transport, settle: (delivery, settlement) => settle(transport, delivery, settlement) })
}

function taking(twist: (batch: readonly Delivery[]) => readonly Delivery[]): Plant {
  return (transport) => ({
    ...transport,
    async receive(address, options) {
      const receiver = await transport.receive(address, options)
      return { lost: receiver.lost, close: receiver.close, take: async (max, wait) => twist(await receiver.take(max, wait)) }
    },
  })
}

async function writeLater(transport: Transport, settlement: Settlement): Promise<void> {
  if (settlement.kind === 'move') await transport.send(settlement.to, settlement.message).catch(() => {})
}
