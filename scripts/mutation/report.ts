import { type FileRecord, type MutationRecord, sourceHash } from './record.ts'

/** The records as a table, with the score of each file and of all. */
export function mutationReport(record: MutationRecord): string {
  const rows = Object.entries(record).map(([file, counts]) => row(`\`${file}\``, counts))
  return [
    '| File | Mutants tried | Killed | of these endless | Survived | of these in code that no test runs | Score | Not tried |',
    '|---|---:|---:|---:|---:|---:|---:|---:|',
    ...rows,
    row('**all**', total(Object.values(record))),
  ].join('\n')
}

/** The page that is committed. */
export function reportPage(record: MutationRecord, { date, machine }: { date: string; machine: string }): string {
  const all = total(Object.values(record))
  const changed = Object.entries(record).filter(([file, { sha256 }]) => sourceHash(file) !== sha256)
  return `# Mutation testing of src/core, ${date}

\`npm run mutation\` changes the code of \`src/core\` in every way that Stryker 10.1 knows, one change at a time, and runs the tests beside it that touch the changed place. A change that no test
notices survives, and is one that somebody could make by mistake. Machine: ${machine}.

**${percent(scoreOf(all))} of the ${countOf(all)} mutants that were tried are killed.** Nothing is excluded. [mutation.json](mutation.json) names every one that is not. ${untried(all)}

- No test that measures time is asked, and generated values come from one seed, so that luck kills nobody. Tests that take more than 100 ms of the processor are only asked about the file that they stand beside and
  about what no other test touches, and others are asked as many as fit into 250 ms: the score is at worst too low.
- "Endless" are mutants that pass their place twenty times as often, or take twenty times as long, as the code does without them.
- \`scripts/mutation/mutation.test.ts\` checks the harness itself: a mutant that changes nothing survives, one in code that no test runs is told apart, one in a table that is made when its module is loaded is killed,
  and nothing is tried while a test fails without any mutant.
${changed.length === 0 ? '' : `- Changed since they were mutated: ${changed.map(([file]) => `\`${file}\``).join(', ')}.\n`}
\`\`\`sh
npm run mutation                                   # all of it
npm run mutation -- --files src/core/duration.ts   # one file; the record of the others is kept
\`\`\`

${mutationReport(record)}
`
}

function untried({ untried: count }: FileRecord): string {
  return count === 0 ? 'All were tried.' : `There was no time for ${count} others: the last column says where.`
}

export function scoreOf({ killed, endless, survived, unreached }: FileRecord): number {
  return (killed + endless) / Math.max(1, killed + endless + survived.length + unreached.length)
}

function countOf({ killed, endless, survived, unreached }: FileRecord): number {
  return killed + endless + survived.length + unreached.length
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function row(name: string, counts: FileRecord): string {
  const { killed, endless, survived, unreached } = counts
  const columns = [countOf(counts), killed + endless, endless, survived.length + unreached.length, unreached.length]
  return `| ${[name, ...columns, percent(scoreOf(counts)), counts.untried].join(' | ')} |`
}

export function total(records: readonly FileRecord[]): FileRecord {
  return {
    sha256: '',
    killed: records.reduce((sum, { killed }) => sum + killed, 0),
    endless: records.reduce((sum, { endless }) => sum + endless, 0),
    survived: records.flatMap(({ survived }) => survived),
    unreached: records.flatMap(({ unreached }) => unreached),
    untried: records.reduce((sum, { untried }) => sum + untried, 0),
  }
}
