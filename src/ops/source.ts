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

/** What the vault calls it. */
export function nameOf({ connection, address }: Pick<Source, 'connection' | 'address'>): SourceName {
  return { connection, channel: address.name, part: address.part ?? '', group: address.group ?? '' }
}

export function addressOf({ channel, part, group }: Omit<SourceName, 'connection'>): Address {
  return { name: channel, ...(part === 'dead-letter' && { part }), ...(group !== '' && { group }) }
}
