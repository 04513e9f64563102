import { systemClock } from '../../platform/clock.ts'
import { shortfalls } from '../required-capabilities.ts'
import { runScenario } from './run.ts'
import type { Scenario } from './scenario.ts'
import type { Subject } from './subject.ts'

/** How one transport did. */
export interface TransportReport {
  readonly transport: string
  readonly shortfalls: readonly string[]
  readonly verdicts: readonly Verdict[]
}

interface Verdict {
  readonly theme: string
  readonly scenario: string
  /** `refuses`: its capabilities rule the sentence out, and it refuses as it should. */
  readonly outcome: 'holds' | 'refuses' | 'fails'
  readonly error?: string
  readonly milliseconds: number
}

/** Runs the suite on one transport, scenario by scenario. */
export async function examine(subject: Subject, scenarios: readonly Scenario[]): Promise<TransportReport> {
  const transport = await subject.open()
  const lacking = shortfalls(subject.name, transport.capabilities)
  await transport.close()
  const verdicts: Verdict[] = []
  for (const scenario of scenarios) verdicts.push(await judge(subject, scenario))
  await subject.close?.()
  return { transport: subject.label ?? subject.name, shortfalls: lacking, verdicts }
}

async function judge(subject: Subject, scenario: Scenario): Promise<Verdict> {
  const about = { theme: scenario.theme, scenario: scenario.name }
  const from = systemClock.monotonic()
  const spent = (): number => Math.round(systemClock.monotonic() - from)
  try {
    const ran = await runScenario(subject, scenario)
    return { ...about, outcome: ran === 'run' ? 'holds' : 'refuses', milliseconds: spent() }
  } catch (error) {
    return { ...about, outcome: 'fails', error: error instanceof Error ? error.message : String(error), milliseconds: spent() }
  }
}

export function conforms({ shortfalls: lacking, verdicts }: TransportReport): boolean {
  return lacking.length === 0 && verdicts.every(({ outcome }) => outcome !== 'fails')
}

const marks = { holds: '✓', refuses: '–', fails: '✗' } as const

/** Scenario × transport, then what is wrong. */
export function table(reports: readonly TransportReport[]): string {
  const names = reports.map(({ transport }) => transport)
  const rows = reports[0]?.verdicts.map((verdict, index) => {
    const cells = reports.map(({ verdicts }) => marks[verdicts[index]?.outcome ?? 'fails'])
    return [`${verdict.theme}: ${verdict.scenario}`, ...cells]
  })
  const lines = [['✓ holds   – refuses, as its capabilities say   ✗ fails', ...names], ...(rows ?? [])]
  const width = Math.max(...lines.map(([sentence = '']) => sentence.length))
  const text = lines.map(([sentence = '', ...cells]) =>
    [sentence.padEnd(width), ...cells.map(centred(names))].join('  ').trimEnd(),
  )
  return [...text, ...reports.flatMap(complaints), ...reports.map(summary)].join('\n')
}

/** Scenario → the planted mistakes that it catches. */
export function catchTable(scenarios: readonly Scenario[]): string {
  return scenarios.map(({ theme, name, catches }) => `${theme}: ${name}\n    catches one that ${catches.join('; ')}`).join('\n')
}

function centred(names: readonly string[]): (cell: string, column: number) => string {
  return (cell, column) => cell.padEnd(names[column]?.length ?? 0)
}

function complaints({ transport, shortfalls: lacking, verdicts }: TransportReport): string[] {
  const failed = verdicts.filter(({ outcome }) => outcome === 'fails')
  return [
    ...lacking.map((sentence) => `${transport}: ${sentence}`),
    ...failed.map(
      ({ theme, scenario, error }) => `${transport}: ${theme}: ${scenario}\n    ${error?.replaceAll('\n', '\n    ')}`,
    ),
  ]
}

function summary(report: TransportReport): string {
  const count = (wanted: Verdict['outcome']): number => report.verdicts.filter(({ outcome }) => outcome === wanted).length
  const seconds = (report.verdicts.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000).toFixed(1)
  const verdict = conforms(report) ? 'conforms' : 'does not conform'
  return `${report.transport} ${verdict}: ${count('holds')} hold, ${count('refuses')} refuse, ${count('fails')} fail, ${seconds} s`
}
