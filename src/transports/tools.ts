import type { Transport } from './seam.ts'
import type { Finding, Topology, WantedChannel } from './topology.ts'

/** What tools outside of a consumer ask of a transport beyond the seam. Only brokers that live outside of a process have them. */
export interface Tools {
  /** With every option of the transport, checked by the transport itself. */
  open(options: unknown): Transport
  /** Asks the broker how it does, and tells what was looked at even where nothing is wrong. */
  examine(options: unknown, patient: Patient): Promise<readonly Diagnosis[]>
  /** Formats in which `export` can write a topology for other tools. */
  readonly formats: readonly string[]
  /** Asks the broker for its version where none is given. Reads nothing else and changes nothing. */
  export(options: unknown, wanted: Topology, format: string, version: string | undefined): Promise<string>
}

/** What a consumer means to do with its channels, as far as a broker's settings can spoil it. */
export interface Patient {
  readonly wanted: Topology
  readonly channels: readonly PatientChannel[]
}

export interface PatientChannel {
  readonly wanted: WantedChannel
  readonly deadLettering: 'annotated' | 'native'
  readonly onDeadLetterFailure: 'hold' | 'drop' | 'spool'
  /** Milliseconds. */
  readonly maxHold: number
}

export interface Diagnosis {
  /** As of a finding; `fine` says that it was looked at, and `unknown` that it could not be. */
  readonly severity: 'fatal' | 'missing' | 'warning' | 'unknown' | 'fine'
  /** A channel, or what else was looked at, such as `broker`. */
  readonly about: string
  readonly what: string
  /** What is the case and what to do about it. */
  readonly message: string
}

export function diagnosisOf({ severity, address, what, message }: Finding): Diagnosis {
  return { severity: severity === 'created' ? 'fine' : severity, about: address.name, what, message }
}
