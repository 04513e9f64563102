import { createFaults } from '../../src/transports/memory/memory.ts'
import type { SimBroker } from './brokers/sim-broker.ts'
import { simChannels } from './script.ts'

/** Creates the channels of a simulation. */
export async function provision(broker: SimBroker, lanes: boolean): Promise<void> {
  const { work, deadLetter, invalid } = simChannels
  const channels = [
    { address: { name: deadLetter }, role: 'dead-letter' as const },
    { address: { name: invalid }, role: 'invalid' as const },
    { address: { name: work }, role: 'work' as const, deadLetterTo: { name: deadLetter }, lanes },
  ]
  await broker.connect(createFaults()).transport.provision({ channels }, 'apply')
}
