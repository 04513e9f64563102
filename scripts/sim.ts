import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { detect } from '../test/sim/detection.ts'
import { plantedBugs } from '../test/sim/planted/bugs.ts'
import { regressions } from '../test/sim/regressions.ts'
import { simulate } from '../test/sim/simulate.ts'
import { run } from './run.ts'
import { wholeNumber } from './whole-number.ts'

const usage = `npm run sim -- [--seeds N] [--from F] [--seed S] [--bugs]

  --seeds  how many simulations (default 1000), after those that once failed
  --from   the first seed (default 1)
  --seed   only this one, with everything that happened
  --bugs   which seed finds each planted bug

Runs the real runtime on simulated brokers (leases, delivery tags, a log with generations, redelivery timers) and a simulated disk in virtual
time, with faults drawn from the seed: crashes, lost connections, calls that fail before or after they took effect, a dead-letter channel that
refuses, deployments, rebalances, clock jumps, disks that are slow, full, fail or lose their power, an outage of what the handlers need. Then
everything heals and must come to an end.`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    bugs: { type: 'boolean', default: false },
    /** Of `of` processes that share the seeds, which one this is. */
    share: { type: 'string' },
    of: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(usage)
else if (values.bugs) await tellDetections()
else if (values.seed !== undefined) await one(wholeNumber('seed', values.seed, 0))
else if (values.share === undefined) await all()
else await some(wholeNumber('share', values.share, 0), wholeNumber('of', values.of, 1))

async function one(seed: number): Promise<void> {
  const { violations, trace } = await simulate(seed, undefined, console.log)
  console.log(trace)
  tell(seed, violations)
  console.log(`${violations.length === 0 ? 1 : 0} passed, ${violations.length === 0 ? 0 : 1} failed`)
}

/** Shares the seeds among as many processes as the machine has cores: one simulation waits for nothing but itself. */
async function all(): Promise<void> {
  const startedAt = performance.now()
  const workers = availableParallelism()
  const share = (index: number): Promise<string> => shareOf(index, workers)
  const outputs = await Promise.all(Array.from({ length: workers }, (_, index) => share(index)))
  const counts = outputs.map((output) => /^(\d+) passed, (\d+) failed$/m.exec(output))
  const [passed, failed] = [1, 2].map((group) => counts.reduce((sum, count) => sum + Number(count?.[group] ?? 0), 0))
  const died = counts.filter((count) => !count).length
  for (const output of outputs) process.stdout.write(output.replace(/^\d+ passed, \d+ failed\n/m, ''))
  const perMinute = Math.round((Number(passed) + Number(failed)) / ((performance.now() - startedAt) / 60_000))
  console.log(`${perMinute} seeds a minute in ${workers} processes`)
  console.log(`${passed} passed, ${Number(failed) + died} failed`)
  if (Number(failed) + died > 0) process.exitCode = 1
}

async function shareOf(index: number, workers: number): Promise<string> {
  const range = ['--seeds', values.seeds, '--from', values.from, '--share', String(index), '--of', String(workers)]
  const { output } = await run(process.execPath, ['scripts/sim.ts', ...range])
  return output
}

async function some(share: number, of: number): Promise<void> {
  const from = wholeNumber('from', values.from, 0)
  const drawn = Array.from({ length: wholeNumber('seeds', values.seeds, 1) }, (_, index) => from + index)
  // Faults are thrown by the thousand, and nobody looks at where.
  Error.stackTraceLimit = 0
  const seeds = [...regressions, ...drawn].filter((_, index) => index % of === share)
  let failed = 0
  for (const seed of seeds) {
    const { violations } = await simulate(seed)
    if (violations.length > 0) failed++
    tell(seed, violations)
  }
  console.log(`${seeds.length - failed} passed, ${failed} failed`)
}

function tell(seed: number, violations: readonly string[]): void {
  if (violations.length === 0) return
  process.exitCode = 1
  console.log(`seed ${seed}: npm run sim -- --seed ${seed}`)
  for (const violation of violations) console.log(`  ${violation}`)
}

async function tellDetections(): Promise<void> {
  const detections = await Promise.all(Object.keys(plantedBugs).map(detect))
  const missed = detections.filter(({ seed }) => seed === undefined).length
  for (const { bug, seed, violation } of detections) console.log(`${String(seed ?? 'none').padStart(6)}  ${bug}: ${violation}`)
  console.log(`${detections.length - missed} passed, ${missed} failed`)
  if (missed > 0) process.exitCode = 1
}
