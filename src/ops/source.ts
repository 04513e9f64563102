import { subQueueOf } from '../core/dialects/sub-queue.ts'
import type { Address, Transport } from '../transports/seam.ts'
import type { SourceName } from '../vault/operations/sources.ts'

/** A dead-letter channel that the control plane reads. */
export interface Source {
  /** The name of the connection in the configuration. */
  readonly connection: string
  readonly transport: Transport
  readonly address: Address
}

/** What people call the queue of an address: a sub-queue is another one than the queue that it belongs to. */
export function queueOf({ name, part }: Address): string {
  return part === undefined ? name : `${name}/${part}`
}

/** Whether letters of a consumer lie there, which knows its dead-letter channel by name alone: a sub-queue by its path. */
export function isDeadLetterOf(deadLetter: string | null, { channel, part, group }: Omit<SourceName, 'connection'>): boolean {
  return deadLetter === (part === '' ? channel : subQueueOf(channel, group || undefined))
}

/** What the vault calls it. */
export function nameOf({ connection, address }: Pick<Source, 'connection' | 'address'>): SourceName {
  return { connection, channel: address.name, part: address.part ?? '', group: address.group ?? '' }
}

export function addressOf({ channel, part, group }: Omit<SourceName, 'connection'>): Address {
  return { name: channel, ...(part === 'dead-letter' && { part }), ...(group !== '' && { group }) }
}
