import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Stryker } from '@stryker-mutator/core'
import { isDead, type Verdict } from './protocol.ts'

/** What became of the mutants of one source file. */
export interface FileRecord {
  /** Of the source, so that it can be seen when the record is older than the file. */
  readonly sha256: string
  readonly killed: number
  /** Killed by never coming to an end. */
  readonly endless: number
  /** Those that no test noticed, each as `line:column mutator: replacement`. */
  readonly survived: readonly string[]
  /** Those in code that no test runs. */
  readonly unreached: readonly string[]
  /** How many there was no time for. */
  readonly untried: number
}

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

export type MutationRecord = Readonly<Record<string, FileRecord>>

const path = 'docs/reports/mutation.json'

export function readRecord(): MutationRecord {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

/** Files keep their order whoever wrote last, so that differences can be read. */
export function writeRecord(record: MutationRecord): void {
  const sorted = Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(path, `${JSON.stringify(sorted, undefined, 2)}\n`)
}

export function sourceHash(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** Stryker's results as records. A verdict that Stryker did not hear as it was given, or did not ask for, is no result at all. */
export function recordOf(
  results: readonly MutantResult[],
  verdicts: ReadonlyMap<string, Verdict>,
  nameOf: (fileName: string) => string,
): MutationRecord {
  const counted = results.filter(({ status }) => status !== 'Ignored').sort((a, b) => Number(a.id) - Number(b.id))
  const told = counted.map((mutant) => ({ mutant, verdict: heard(mutant, verdicts) }))
  const byFile = Map.groupBy(told, ({ mutant }) => nameOf(mutant.fileName))
  return Object.fromEntries(
    [...byFile].map(([file, mutants]) => {
      const having = (verdict: Verdict) => mutants.filter((one) => one.verdict === verdict).map(({ mutant }) => mutant)
      const record: FileRecord = {
        sha256: sourceHash(file),
        killed: having('killed').length,
        endless: having('endless').length,
        survived: having('survived').map(shown),
        unreached: having('unreached').map(shown),
        untried: having('untried').length,
      }
      return [file, record]
    }),
  )
}

function heard({ id, status, fileName }: MutantResult, verdicts: ReadonlyMap<string, Verdict>): Verdict {
  const verdict = verdicts.get(id)
  if (verdict === undefined || (status === 'Killed') !== isDead(verdict))
    throw new Error(`mutant ${id} of ${fileName} is ${status}, but was told ${verdict}`)
  return verdict
}

function shown({ location, mutatorName, replacement }: MutantResult): string {
  const oneLine = (replacement ?? '').replace(/\s+/g, ' ')
  return `${location.start.line}:${location.start.column} ${mutatorName}: ${oneLine.length > 80 ? `${oneLine.slice(0, 80)}…` : oneLine}`
}
