import type { Topology, WantedChannel } from '../topology.ts'
import { delayBlueprint, delayNames, homeBinding, levelOf } from './delay.ts'
import type { Settings } from './options.ts'
import { argumentsFor, type QueueArguments } from './queue-arguments.ts'

/**
 * Everything that stands on a broker for a topology, as data: what `apply` declares and what `export` prints is this one list.
 * All of it is durable. What is bound always stands before its bindings.
 */
export interface Blueprint {
  readonly exchanges: readonly ExchangePart[]
  readonly queues: readonly QueuePart[]
  readonly bindings: readonly BindingPart[]
}

export interface ExchangePart {
  readonly name: string
  readonly type: 'fanout' | 'topic'
  readonly alternate?: string
}

export interface QueuePart {
  readonly name: string
  readonly arguments: QueueArguments
}

export interface BindingPart {
  readonly source: string
  readonly destination: string
  readonly to: 'queue' | 'exchange'
  readonly routingKey: string
}

/** What decides how things are declared. */
export type Terms = Pick<Settings, 'queueType' | 'prefix'> & { readonly version: string }

export function blueprintOf({ channels }: Topology, terms: Terms): Blueprint {
  const delays = delaysFor(channels, terms)
  return { ...delays, queues: [...channels.map((channel) => queueFor(channel, terms)), ...delays.queues] }
}

export function queueFor(channel: WantedChannel, { queueType, version }: Terms): QueuePart {
  return { name: channel.address.name, arguments: argumentsFor(channel, queueType, version) }
}

/** What channels with delayed retries share: the levels up to the longest delay of any of them, and their ways home. */
export function delaysFor(channels: readonly WantedChannel[], { prefix, version }: Terms): Blueprint {
  const delayed = channels.filter(({ maxRetryDelay = 0 }) => maxRetryDelay > 0)
  if (delayed.length === 0) return { exchanges: [], queues: [], bindings: [] }
  const names = delayNames(prefix)
  const highest = Math.max(...delayed.map(({ maxRetryDelay = 0 }) => levelOf(maxRetryDelay)))
  const { exchanges, queues, bindings } = delayBlueprint(names, highest, version)
  return { exchanges, queues, bindings: [...bindings, ...delayed.map(({ address }) => homeBinding(names, address.name))] }
}
