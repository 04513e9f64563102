import type { Estimate } from '../statistics.ts'
import { count } from '../summary.ts'
import { printLateness } from './print-lateness.ts'
import type { VaultReport } from './vault.ts'

export function printVault({ letters, ingest, fileMiB, answers, loop }: VaultReport): void {
  console.log(`vault-letters: ${count(letters).trim()} letters of 1 KiB, ${Math.round(fileMiB)} MiB`)
  console.log(
    `  ingest ${count(ingest.ours).trim()}/s; bare into the same tables ${count(ingest.like).trim()}/s, only rows ${count(ingest.rows).trim()}/s`,
  )
  console.log(
    `  of bare, same tables, indexes and full text: ${part(ingest.ofLike)} by time, ${part(ingest.cpuOfLike)} by processor`,
  )
  console.log(
    `  of bare, rows and one index:                 ${part(ingest.ofRows)} by time, ${part(ingest.cpuOfRows)} by processor`,
  )
  printAnswers(answers)
  printLateness(loop)
}

function printAnswers(answers: VaultReport['answers']): void {
  console.log(
    `  ${'ms'.padEnd(31)} ${'p50, a tenth'.padStart(13)} ${'p95, a tenth'.padStart(13)}      p50      p95   of a tenth's p50, p95`,
  )
  for (const [name, { small, large }] of Object.entries(answers)) {
    const ratios = `${(large.p50 / small.p50).toFixed(2)}, ${(large.p95 / small.p95).toFixed(2)}`
    console.log(
      `  ${name.padEnd(31)} ${ms(small.p50).padStart(13)} ${ms(small.p95).padStart(13)} ${ms(large.p50)} ${ms(large.p95)}   ${ratios}`,
    )
  }
}

function ms(value: number): string {
  return value.toFixed(2).padStart(8)
}

function part({ median, low, high }: Estimate): string {
  return `${median.toFixed(2)} [${low.toFixed(2)} … ${high.toFixed(2)}]`
}
