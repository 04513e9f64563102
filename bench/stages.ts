import { median } from './statistics.ts'

/** Prints how long it took until each stage was reached, in milliseconds over all runs; gives the same as figures. */
export function printStages<Stage extends string>(
  title: string,
  stages: readonly Stage[],
  runs: readonly Readonly<Record<Stage, number>>[],
): object {
  console.log(title)
  console.log(`  ${''.padEnd(20)}${['min', 'median', 'p95', 'max'].map((name) => name.padStart(10)).join('')}   under 1 s`)
  const report: Record<string, object> = {}
  for (const stage of stages) {
    const sorted = runs.map((run) => run[stage]).sort((a, b) => a - b)
    const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
    const figures = { min: at(0.001), median: median(sorted), p95: at(0.95), max: at(1) }
    const inTime = sorted.filter((ms) => ms < 1000).length
    const columns = Object.values(figures).map((ms) => ms.toFixed(1).padStart(10))
    console.log(`  ${stage.padEnd(20)}${columns.join('')}   ${inTime} of ${sorted.length}`)
    report[stage] = figures
  }
  return report
}
