import { edges, type Lateness } from './lateness.ts'

/** How late the event loop was, by what was going on. */
export function printLateness(loops: Readonly<Record<string, Lateness>>): void {
  console.log(`  event loop late, ms: p50, p99, p99.9, most; times up to ${edges.join(', ')} ms and above`)
  for (const [name, { p50, p99, p999, max, histogram, own }] of Object.entries(loops)) {
    console.log(`  ${name.padEnd(31)} ${[p50, p99, p999, max].map(ms).join(' ')}   ${histogram.join(' ')}`)
    console.log(`  ${'  of it while this thread ran'.padEnd(58)} ${ms(own.max)}   ${own.histogram.join(' ')}`)
  }
}

function ms(value: number): string {
  return value.toFixed(2).padStart(8)
}
