import { isFlawless } from '../ledger.ts'
import type { Judged, Row, RowResult } from './row.ts'

export interface Tally {
  passed: number
  failed: number
  notRun: number
}

export interface Report {
  readonly tally: Readonly<Tally>
  head(): void
  /** Prints what the observers saw of one row, and counts it. */
  show(row: Row, result: RowResult | Error): void
}

export function createReport(claimsOrder: boolean): Report {
  const tally: Tally = { passed: 0, failed: 0, notRun: 0 }

  function show(row: Row, result: RowResult | Error): void {
    const isShownOnly = row.kind === 'broker' || row.kind === 'peer'
    if (result instanceof Error) {
      if (!isShownOnly) tally.failed++
      console.log(`${line(row.name, ...columns.map(() => '-'))}  ${isShownOnly ? '' : 'FAILED'}\n  ${result.message}`)
      return
    }
    if ('notRun' in result) {
      tally.notRun++
      console.log(`NOT RUN: ${row.name}: ${result.notRun}`)
      return
    }
    const isOrdered = row.claimsOrder ?? claimsOrder
    const isGood = isGoodFor(row, isOrdered ? result : { ...result, verdict: { ...result.verdict, disordered: [] } })
    if (!isShownOnly) tally[isGood ? 'passed' : 'failed']++
    showJudged(row.name, result, isOrdered, !isGood && !isShownOnly)
  }

  function showJudged(name: string, { verdict, complaints, note }: Judged, isOrdered: boolean, hasFailed: boolean): void {
    const { sent, lost, duplicated, wronglyDead, rightlyPoison, disordered } = verdict
    const order = !isOrdered ? 'no claim' : disordered.length === 0 ? 'kept' : `${disordered.length} wrong`
    const cells = [sent, lost.length, duplicated, wronglyDead.length, rightlyPoison.length, order]
    console.log([line(name, ...cells), note && `(${note})`, hasFailed && 'FAILED'].filter(Boolean).join('  '))
    if (hasFailed) console.log(`  ${[...complaints, JSON.stringify(verdict)].join('\n  ')}`)
  }

  return { tally, head: () => console.log(line('fault', ...columns)), show }
}

function isGoodFor({ kind, isCaught = hasLost }: Row, result: Judged): boolean {
  return kind === 'twin' ? isCaught(result) : isFlawless(result.verdict) && result.complaints.length === 0
}

function hasLost(result: RowResult): boolean {
  return 'verdict' in result && result.verdict.lost.length > 0
}

const columns = ['  sent', ' lost', 'duplicated', 'dead-lettered wrongly', 'rightly poison', '   order']

function line(name: string, ...cells: readonly (string | number)[]): string {
  const padded = cells.map((cell, index) => String(cell).padStart(columns[index]?.length ?? 0))
  return [name.padEnd(68), ...padded].join('  ')
}
