import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import type { Verdict } from './protocol.ts'

/** What was said about mutants before a run was cut off: it takes hours, and the next one goes on from there. */
export interface Journal {
  readonly told: ReadonlyMap<string, Verdict>
  note(mutant: string, verdict: Verdict): void
}

const folder = '.cache/mutation-journals'

/** Stryker numbers the same mutants alike as long as no file differs; when one does, sources or tests, nothing said before counts. */
export function openJournal(mutated: readonly string[]): Journal {
  const hash = createHash('sha256').update(mutated.join('\n'))
  for (const file of globSync(['src/core/**/*.ts', 'test/corpus/**', 'test/*.ts']).sort()) {
    if (/\.\w+$/.test(file)) hash.update(file).update(readFileSync(file))
  }
  const path = `${folder}/${hash.digest('hex').slice(0, 16)}`
  mkdirSync(folder, { recursive: true })
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
  return {
    told: new Map(lines.map((line) => line.split(' ') as [string, Verdict])),
    note: (mutant, verdict) => appendFileSync(path, `${mutant} ${verdict}\n`),
  }
}
