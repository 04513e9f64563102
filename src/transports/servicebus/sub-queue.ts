import type { Address } from '../seam.ts'
import type { Topology } from '../topology.ts'

/** As the service writes the path of a dead-letter sub-queue: of a queue, or of a subscription. */
const path = /^(.+?)(?:\/Subscriptions\/([^/]+))?\/\$DeadLetterQueue$/i

/** Where only a name can be given, a sub-queue is named by its path. */
export function entityOf(address: Address): Address {
  const [, name, group] = path.exec(address.name) ?? []
  if (name === undefined) return address
  return { name, ...(group !== undefined && { group }), part: 'dead-letter' }
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
  return path.test(name)
}

export function subQueueOf(channel: string, group: string | undefined): string {
  return `${channel}${group === undefined ? '' : `/Subscriptions/${group}`}/$DeadLetterQueue`
}
