import { count } from '../summary.ts'
import type { RetentionReport } from './retention.ts'
import type { Waits } from './vault.ts'

export function printRetention(report: RetentionReport): void {
  const { letters, removed, seconds, steps, ingest, ofBare, mebibytes, deadRows } = report
  const number = (value: number): string => count(Math.round(value)).trim()
  console.log(`vault-retention: ${number(letters)} letters, made in ${seconds.filling.toFixed(0)} s`)
  console.log(
    `  removed ${number(removed)} in ${seconds.removing.toFixed(1)} s, ${number(removed / seconds.removing)}/s, while others came and people looked`,
  )
  console.log(`  a step, ms: p50 ${steps.p50.toFixed(1)}, p95 ${steps.p95.toFixed(1)}, longest ${steps.longest.toFixed(1)}`)
  console.log(`  ingest ${number(ingest.before)}/s before, ${number(ingest.meanwhile)}/s meanwhile`)
  console.log(
    `  ingest of bare, into the same tables: ${ofBare.median.toFixed(2)} [${ofBare.low.toFixed(2)} … ${ofBare.high.toFixed(2)}] by time`,
  )
  console.log(
    `  MiB: ${number(mebibytes.full)} full, ${number(mebibytes.removed)} after removing, ${number(mebibytes.refilled)} after as many have come again`,
  )
  console.log(
    `  dead rows: ${number(deadRows.removed)}, ${number(deadRows.vacuumed)} after ${seconds.vacuuming.toFixed(0)} s of vacuuming`,
  )
  console.log(`  ${'ms'.padEnd(31)} p50, before  p95, before   p50, after   p95, after   p50, meanwhile   p95, meanwhile`)
  for (const [name, { before, after }] of Object.entries(report.answers)) {
    console.log(`  ${name.padEnd(31)} ${[...both(before), ...both(after), ...both(report.meanwhile[name])].join(' ')}`.trimEnd())
  }
}

function both(waits: Waits | undefined): readonly string[] {
  return waits ? [waits.p50, waits.p95].map((value) => value.toFixed(2).padStart(12)) : []
}
