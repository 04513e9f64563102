import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepCompiled } from './compile-cache.ts'
import { run } from './run.ts'
import { journalVariable } from './test-run/journal.ts'
import { indented, resultsOf } from './test-run/results.ts'
import { v8Flags } from './test-run/v8-flags.ts'

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
]

/** These wait for servers that were killed more than they compute: two at a time, each told when it has ended. */
const faultSuites: readonly Suite[] = [
  faults('faults on Service Bus', 'servicebus', '--smoke'),
  faults('faults', 'embedded', '--messages', '2000', '--kills', '10', '--power', '2'),
  faults('faults of replays', 'replay', '--messages', '500', '--kills', '4'),
  faults('faults on Kafka', 'kafka', '--smoke'),
  faults('faults on PostgreSQL', 'postgres', '--smoke'),
  faults('faults on Redis', 'redis', '--smoke'),
  faults('faults on SQS', 'sqs', '--smoke'),
  faults('faults on RocketMQ', 'rocketmq', '--smoke'),
  faults('faults on RabbitMQ', 'rabbitmq', '--smoke'),
]

function faults(name: string, ...args: readonly string[]): Suite {
  return { name, run: () => counted('node', ['scripts/faults.ts', ...args], 'at its end') }
}

/** Far more than a suite takes, so that one that hangs is told by its name. Milliseconds. */
const patienceWithTests = 65 * 60_000
const patienceWithOthers = 12 * 60_000

/** What this machine could not run: tests that need more rights, and brokers that are not there, each with the command that provides it. */
const notRun: string[] = []

/** What failed, told once more at the end: a run is long, and whoever reads its last lines wants to know what to look for. */
const failures: string[] = []

async function vitest(): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-test-'))
  const journal = join(folder, 'journal')
  const missing = join(folder, 'not-run')
  for (const file of [journal, missing]) writeFileSync(file, '')
  process.env['REDRIVE_NOT_RUN_FILE'] = missing
  process.env[journalVariable] = journal
  try {
    const reporters = ['--reporter=default', '--reporter=./scripts/test-run/journal.ts']
    const { code, output } = await run('node', [...v8Flags, 'node_modules/vitest/vitest.mjs', 'run', ...reporters], {
      show: true,
      patience: patienceWithTests,
    })
    notRun.push(...new Set(readFileSync(missing, 'utf8').split('\n').filter(Boolean)))
    const results = resultsOf(readFileSync(journal, 'utf8'), Date.now())
    notRun.push(...results.skipped.map((name) => `NOT RUN: ${name}. It needs root on Linux, with strace, e2fsprogs and Perl.`))
    failures.push(...results.failures)
    if (code !== 0 && results.failures.length === 0) failures.push(failureOf('vitest', output))
    console.log(`\nThe files that took longest:\n${results.slowest.join('\n')}`)
    // In CI, what was not run is a failure, because nobody showed it.
    const failed = results.failures.length + (process.env['CI'] ? results.skipped.length : 0)
    return { passed: results.passed, failed: Math.max(failed, code === 0 ? 0 : 1) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function counted(
  command: string,
  args: readonly string[],
  told: 'as it goes' | 'at its end' = 'as it goes',
): Promise<Counts> {
  const { code, output } = await run(command, args, { show: told === 'as it goes', patience: patienceWithOthers })
  if (told === 'at its end') console.log(`\n$ ${[command, ...args].join(' ')}\n${output.trimEnd()}`)
  notRun.push(...[...output.matchAll(/^NOT RUN: .+$/gm)].map(([told]) => told))
  const line = [...output.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1)
  const counted = Number(line?.[2] ?? 1)
  const failed = code === 0 ? counted : Math.max(1, counted)
  if (failed > 0) failures.push(failureOf([command, ...args].join(' '), output))
  return { passed: Number(line?.[1] ?? 0), failed }
}

/** What it said last: all of it stands further up. */
function failureOf(what: string, output: string): string {
  return `FAILED: ${what}\n${indented(output.trimEnd().split('\n').slice(-30))}`
}

keepCompiled()
const results: (Counts & { name: string })[] = []
for (const suite of suites) {
  console.log(`\n== ${suite.name}`)
  await play(suite)
}
console.log('\n== faults, two at a time')
const left = [...faultSuites]
await Promise.all([playOneByOne(left), playOneByOne(left)])

async function playOneByOne(left: Suite[]): Promise<void> {
  for (let suite = left.shift(); suite; suite = left.shift()) await play(suite)
}

async function play({ name, run }: Suite): Promise<void> {
  results.push({ name, ...(await run().catch(died)) })
}

function died(error: unknown): Counts {
  failures.push(`FAILED: ${error instanceof Error ? error.stack : String(error)}`)
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
