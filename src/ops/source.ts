import type { Address, Transport } from '../transports/seam.ts'

/** A dead-letter channel that the control plane reads. */
export interface Source {
  /** The name of the connection in the configuration. */
  readonly connection: string
  readonly transport: Transport
  readonly address: Address
}
