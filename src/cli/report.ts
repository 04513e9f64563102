import { visibleJson } from '../core/visible.ts'
import type { Diagnosis } from '../transports/tools.ts'
import type { Finding } from '../transports/topology.ts'
import { exitCodes } from './exit-codes.ts'
import { shown, type Terminal } from './terminal.ts'

export interface Entry {
  readonly severity: Finding['severity'] | Diagnosis['severity']
  readonly about: string
  readonly what: string
  readonly message: string
}

export interface Report {
  readonly command: string
  readonly transport: string
  readonly entries: readonly Entry[]
}

/** The worst first; within one severity, as they were found. */
const order: readonly Entry['severity'][] = ['fatal', 'missing', 'warning', 'unknown', 'created', 'fine']
const wrong: readonly Entry['severity'][] = ['fatal', 'missing', 'warning']

export function entryOf({ severity, address, what, message }: Finding): Entry {
  return { severity, about: address.name, what, message }
}

/** Prints it for a person, or as one line of JSON and nothing else; the result is the exit code. */
export function print(report: Report, terminal: Terminal, json: boolean): number {
  const entries = report.entries.toSorted((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity))
  const isClean = entries.every(({ severity }) => !wrong.includes(severity))
  if (json) terminal.out(`${visibleJson({ ...report, clean: isClean, entries })}\n`)
  else for (const line of [...entries.map(lineOf), summary(entries)]) terminal.out(`${line}\n`)
  return isClean ? exitCodes.done : exitCodes.findings
}

function lineOf({ severity, what, message }: Entry): string {
  return shown(`${severity.padEnd(8)} ${what}: ${message}`)
}

function summary(entries: readonly Entry[]): string {
  const counts = order
    .map((severity) => [severity, entries.filter((entry) => entry.severity === severity).length] as const)
    .filter(([severity, count]) => count > 0 && severity !== 'fine')
  if (counts.length === 0) return 'nothing is wrong'
  return counts.map(([severity, count]) => `${count} ${severity}`).join(', ')
}
