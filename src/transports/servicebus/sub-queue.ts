import { subQueueIn } from '../../core/dialects/sub-queue.ts'
import type { Address } from '../seam.ts'
import type { Topology } from '../topology.ts'

/** Where only a name can be given, a sub-queue is named by its path. */
export function entityOf(address: Address): Address {
  const found = subQueueIn(address.name)
  return found ? { ...found, part: 'dead-letter' } : address
}

export function entitiesOf({ channels }: Topology): Topology {
  return {
    channels: channels.map(({ deadLetterTo, ...channel }) => ({
      ...channel,
      address: entityOf(channel.address),
      ...(deadLetterTo && { deadLetterTo: entityOf(deadLetterTo) }),
    })),
  }
}

export function isSubQueue(name: string): boolean {
  return subQueueIn(name) !== undefined
}
