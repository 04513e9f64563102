import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run.ts'

/**
 * Everything that must hold, in one command. Each suite says how much passed and failed; the last line adds them up. A suite that dies
 * without counting is one failure.
 */
interface Counts {
  readonly passed: number
  readonly failed: number
}

interface Suite {
  readonly name: string
  readonly run: () => Promise<Counts>
}

const suites: readonly Suite[] = [
  { name: 'checks', run: () => counted('node', ['scripts/check.ts']) },
  { name: 'tests', run: vitest },
  { name: 'simulation', run: () => counted('node', ['scripts/sim.ts', '--seeds', '10000']) },
  {
    name: 'faults',
    run: () => counted('node', ['scripts/faults.ts', 'embedded', '--messages', '2000', '--kills', '10', '--power', '2']),
  },
  {
    name: 'faults of replays',
    run: () => counted('node', ['scripts/faults.ts', 'replay', '--messages', '500', '--kills', '4']),
  },
  { name: 'faults on Kafka', run: () => counted('node', ['scripts/faults.ts', 'kafka', '--smoke']) },
  { name: 'faults on RabbitMQ', run: () => counted('node', ['scripts/faults.ts', 'rabbitmq', '--smoke']) },
]

/** What this machine could not run: tests that need more rights, and brokers that are not there, each with the command that provides it. */
const notRun: string[] = []

async function vitest(): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-test-'))
  const report = join(folder, 'report.json')
  const missing = join(folder, 'not-run')
  writeFileSync(missing, '')
  process.env['REDRIVE_NOT_RUN_FILE'] = missing
  try {
    const { code } = await run('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`], {
      show: true,
    })
    notRun.push(...new Set(readFileSync(missing, 'utf8').split('\n').filter(Boolean)))
    const result = JSON.parse(readFileSync(report, 'utf8')) as VitestReport
    const skipped = testsNotRun(result)
    notRun.push(...skipped)
    const failed = result.numFailedTests + brokenFiles(result) + (process.env['CI'] ? skipped.length : 0)
    return { passed: result.numPassedTests, failed: Math.max(failed, code === 0 ? 0 : 1) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** What this machine cannot run. On a person's machine that is told at the end; in CI it is a failure, because nobody showed it. */
function testsNotRun({ testResults }: VitestReport): string[] {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults)
  return all
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => `NOT RUN: ${fullName}. It needs root and strace, on Linux.`)
}

/** A file that does not even load has no tests to count. */
function brokenFiles({ testResults }: VitestReport): number {
  return testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0).length
}

async function counted(command: string, args: readonly string[]): Promise<Counts> {
  const { code, output } = await run(command, args, { show: true })
  const line = [...output.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1)
  const failed = Number(line?.[2] ?? 1)
  return { passed: Number(line?.[1] ?? 0), failed: code === 0 ? failed : Math.max(1, failed) }
}

const results: (Counts & { name: string })[] = []
for (const suite of suites) {
  console.log(`\n== ${suite.name}`)
  results.push({ name: suite.name, ...(await suite.run().catch(died)) })
}

function died(error: unknown): Counts {
  console.error(error)
  return { passed: 0, failed: 1 }
}

console.log('')
for (const line of notRun) console.log(line)
for (const { name, passed, failed } of results) console.log(`${name}: ${passed} passed, ${failed} failed`)
const total = results.reduce((sum, { passed, failed }) => ({ passed: sum.passed + passed, failed: sum.failed + failed }), {
  passed: 0,
  failed: 0,
})
process.exitCode = total.failed === 0 ? 0 : 1
console.log(`${total.passed} passed, ${total.failed} failed`)
