import type { Address } from '../seam.ts'
import type { Finding } from '../topology.ts'

export type Tell = (severity: Finding['severity'], what: string, message: string) => Finding

/** Findings about one queue; the message goes on after its name. */
export function findingAbout(address: Address): Tell {
  return (severity, what, message) => ({ severity, address, what, message: `${address.name} ${message}` })
}
