import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { allScenarios } from '../../src/transports/conformance/all-scenarios.ts'
import type { TransportReport } from '../../src/transports/conformance/report.ts'

/** What the latest run of the suite gave, for the matrix in the README. A run of some transports leaves the others as they were. */
export interface ConformanceRecord {
  /** Every sentence of the suite at that time, as `theme: name`. */
  readonly scenarios: readonly string[]
  readonly subjects: readonly RecordedSubject[]
}

export interface RecordedSubject {
  /** Such as `rabbitmq 4.0.5 quorum`. */
  readonly label: string
  /** The day of the run. */
  readonly date: string
  /** Those that its capabilities rule out; all that stand neither here nor in `fails` hold. */
  readonly refuses: readonly string[]
  readonly fails: readonly string[]
}

const file = 'docs/reports/conformance.json'

export const sentences: readonly string[] = allScenarios.map(({ theme, name }) => `${theme}: ${name}`)

export function readRecord(): ConformanceRecord {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { scenarios: [], subjects: [] }
}

export function writeRecord(record: ConformanceRecord): void {
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`)
}

/** A record of another suite than today's says nothing about today's, so nothing of it is kept. */
export function recorded(before: ConformanceRecord, reports: readonly TransportReport[], now: Date): ConformanceRecord {
  const isSameSuite = before.scenarios.join('\n') === sentences.join('\n')
  const fresh = reports.map((report) => subjectOf(report, now.toISOString().slice(0, 10)))
  const kept = isSameSuite ? before.subjects.filter(({ label }) => !fresh.some((subject) => subject.label === label)) : []
  const subjects = [...kept, ...fresh].toSorted((one, other) => (one.label < other.label ? -1 : 1))
  return { scenarios: sentences, subjects }
}

function subjectOf({ transport, verdicts }: TransportReport, date: string): RecordedSubject {
  const those = (outcome: 'refuses' | 'fails') =>
    verdicts.filter((verdict) => verdict.outcome === outcome).map(({ theme, scenario }) => `${theme}: ${scenario}`)
  return { label: transport, date, refuses: those('refuses'), fails: those('fails') }
}
