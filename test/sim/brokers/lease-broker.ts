import type { Clock } from '../../../src/core/ports.ts'
import { memory } from '../../../src/transports/memory/memory.ts'
import { createRefusals } from './refusals.ts'
import type { SimBroker } from './sim-broker.ts'

/** The product's own broker in memory, asked from outside through a connection that nothing disturbs. */
export function leaseBroker(clock: Clock): SimBroker {
  const broker = memory({ clock })
  const refusals = createRefusals()
  return {
    family: 'lease',
    connect(faults) {
      refusals.reach(faults)
      return { transport: broker.connect({ faults }), owns: () => true }
    },
    async put(channel, message) {
      await broker.send({ name: channel }, message)
    },
    left: async (channel) => (await broker.measure({ name: channel })).retained,
    async messagesIn(channel) {
      const { messages } = await broker.browse({ name: channel }, { limit: 100_000 })
      return messages.map(({ message }) => message)
    },
    refuse: refusals.begin,
    disturb() {},
  }
}
