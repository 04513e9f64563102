import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { keepCompiled } from './compile-cache.ts'
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
  { name: 'the API under attack', run: () => counted('node', ['scripts/schemathesis.ts']) },
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
  { name: 'faults on PostgreSQL', run: () => counted('node', ['scripts/faults.ts', 'postgres', '--smoke']) },
  { name: 'faults on Redis', run: () => counted('node', ['scripts/faults.ts', 'redis', '--smoke']) },
  { name: 'faults on SQS', run: () => counted('node', ['scripts/faults.ts', 'sqs', '--smoke']) },
  { name: 'faults on RabbitMQ', run: () => counted('node', ['scripts/faults.ts', 'rabbitmq', '--smoke']) },
]

/** Far more than a suite takes, so that one that hangs is told by its name. Milliseconds. */
const patienceWithTests = 55 * 60_000
const patienceWithOthers = 12 * 60_000

/** What this machine could not run: tests that need more rights, and brokers that are not there, each with the command that provides it. */
const notRun: string[] = []

/** What failed, told once more at the end: a run is long, and whoever reads its last lines wants to know what to look for. */
const failures: string[] = []

async function vitest(): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-test-'))
  const report = join(folder, 'report.json')
  const missing = join(folder, 'not-run')
  writeFileSync(missing, '')
  process.env['REDRIVE_NOT_RUN_FILE'] = missing
  try {
    const { code } = await run('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`], {
      show: true,
      patience: patienceWithTests,
    })
    notRun.push(...new Set(readFileSync(missing, 'utf8').split('\n').filter(Boolean)))
    const result = JSON.parse(readFileSync(report, 'utf8')) as VitestReport
    const skipped = testsNotRun(result)
    notRun.push(...skipped)
    failures.push(...failuresIn(result))
    const failed = result.numFailedTests + brokenFiles(result) + (process.env['CI'] ? skipped.length : 0)
    return { passed: result.numPassedTests - testsThatStandForOthers(result), failed: Math.max(failed, code === 0 ? 0 : 1) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

/** What this machine cannot run. On a person's machine that is told at the end; in CI it is a failure, because nobody showed it. */
function testsNotRun({ testResults }: VitestReport): string[] {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults)
  return all
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => `NOT RUN: ${fullName}. It needs root on Linux, with strace, e2fsprogs and Perl.`)
}

/** One that passes, and only says what could not be had. */
function testsThatStandForOthers({ testResults }: VitestReport): number {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults)
  return all.filter(({ status, fullName }) => status === 'passed' && fullName.includes('NOT RUN: ')).length
}

/** Each with the beginning of what it says; all of it stands further up. */
function failuresIn({ testResults }: VitestReport): string[] {
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const file = relative(process.cwd(), name)
      const failed = assertionResults.filter(({ status }) => status === 'failed')
      if (failed.length === 0) return [`FAILED: ${file}\n${beginningOf(message)}`]
      return failed.map(
        ({ fullName, failureMessages }) => `FAILED: ${file}: ${fullName}\n${beginningOf(failureMessages.join('\n'))}`,
      )
    })
}

function beginningOf(text: string): string {
  return indented(text.split('\n').slice(0, 12))
}

function endOf(text: string): string {
  return indented(text.trimEnd().split('\n').slice(-30))
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n')
}

/** A file that does not even load has no tests to count. */
function brokenFiles({ testResults }: VitestReport): number {
  return testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0).length
}

async function counted(command: string, args: readonly string[]): Promise<Counts> {
  const { code, output } = await run(command, args, { show: true, patience: patienceWithOthers })
  notRun.push(...[...output.matchAll(/^NOT RUN: .+$/gm)].map(([told]) => told))
  const line = [...output.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1)
  const counted = Number(line?.[2] ?? 1)
  const failed = code === 0 ? counted : Math.max(1, counted)
  if (failed > 0) failures.push(`FAILED: ${[command, ...args].join(' ')}\n${endOf(output)}`)
  return { passed: Number(line?.[1] ?? 0), failed }
}

keepCompiled()
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
for (const line of [...notRun, ...failures]) console.log(line)
for (const { name, passed, failed } of results) console.log(`${name}: ${passed} passed, ${failed} failed`)
const total = results.reduce((sum, { passed, failed }) => ({ passed: sum.passed + passed, failed: sum.failed + failed }), {
  passed: 0,
  failed: 0,
})
process.exitCode = total.failed === 0 ? 0 : 1
console.log(`${total.passed} passed, ${total.failed} failed`)
