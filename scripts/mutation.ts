import { globSync, writeFileSync } from 'node:fs'
import { cpus, type } from 'node:os'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { parseDuration } from '../src/core/duration.ts'
import { openFront } from './mutation/front.ts'
import { openJournal } from './mutation/journal.ts'
import { type MutationRecord, readRecord, recordOf, writeRecord } from './mutation/record.ts'
import { mutationReport, reportPage } from './mutation/report.ts'
import { wholeNumber } from './whole-number.ts'

const usage = `npm run mutation -- [--files GLOB]... [--tests GLOB]... [--for TIME] [--lanes N]

  --files  which files of src/core to mutate (default: all); what is known of the others is kept
  --tests  which tests to ask (default: all of src/core, and the corpus); fewer are faster, and kill less
  --for    how long to try, such as 10m (default: to the end); the others are told as not tried
  --lanes  how many mutants to try at once (default 2)

A run that was cut off goes on where it stood, as long as nothing changed.

Changes the code in every way that Stryker knows, one change at a time, and runs the tests of src/core that touch it: a change that no test
notices is one that somebody could make by mistake. Writes docs/reports/mutation.json, which names every change that was not noticed, and a
report beside it.`

const { values } = parseArgs({
  options: {
    files: { type: 'string', multiple: true, default: ['src/core/**/*.ts'] },
    tests: { type: 'string', multiple: true, default: ['src/core/**/*.test.ts', 'test/corpus/**/*.test.ts'] },
    for: { type: 'string' },
    lanes: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
})

/** Tests and what only tests use are not mutated. */
const spared = /\.(test|fixture)\.ts$/

if (values.help) console.log(usage)
else await mutate(globSync(values.files).filter((file) => !spared.test(file)))

async function mutate(files: readonly string[]): Promise<void> {
  const lanes = wholeNumber('lanes', values.lanes, 1)
  const journal = openJournal([...files, ...values.tests])
  const tryFor = values.for === undefined ? Number.POSITIVE_INFINITY : parseDuration(values.for, '--for')
  const front = await openFront({ testFiles: values.tests, laneCount: lanes, journal, tryFor })
  process.env['REDRIVE_MUTATION_PORT'] = String(front.port)
  try {
    const results = await new Stryker(options(files, lanes)).runMutationTest()
    const fresh = recordOf(results, front.verdicts, (name) => relative('.', name))
    const record: MutationRecord = { ...readRecord(), ...fresh }
    writeRecord(record)
    writeReport(record)
    console.log(mutationReport(fresh))
  } finally {
    front.close()
  }
}

function writeReport(record: MutationRecord): void {
  const date = new Date().toISOString().slice(0, 10)
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${type()}, Node ${process.version}; other work ran on it`
  writeFileSync(`docs/reports/mutation-${date}.md`, reportPage(record, { date, machine }))
}

type Options = ConstructorParameters<typeof Stryker>[0]

function options(files: readonly string[], lanes: number): Options {
  return {
    mutate: [...files],
    testRunner: 'command',
    commandRunner: { command: `bash ${fileURLToPath(new URL('mutation/ask.sh', import.meta.url))}` },
    concurrency: lanes,
    plugins: [],
    reporters: [],
    // What the tests of the core need, and nothing else.
    ignorePatterns: ['**', '!package.json', '!src/core/**', '!test/corpus/**', '!test/*.ts'],
    tempDirName: '.cache/mutation',
    cleanTempDir: 'always',
    // The sandbox stands inside of the project, so that its modules are found anyway.
    symlinkNodeModules: false,
    // TypeScript 7 has no interface for it; types are stripped.
    tsconfigFile: 'none',
    disableTypeChecks: false,
    // The lanes have limits of their own, which count what a mutant does.
    timeoutMS: 600_000,
    allowConsoleColors: false,
    logLevel: 'error' as NonNullable<Options['logLevel']>,
  }
}
