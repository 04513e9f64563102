import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { simulateAlerts } from '../test/sim/alerts/simulate-alerts.ts'
import { allBugs, detect } from '../test/sim/detection.ts'
import { alertRegressions, regressions, replayRegressions } from '../test/sim/regressions.ts'
import { simulateReplay } from '../test/sim/replay/simulate-replay.ts'
import { type SimResult, simulate } from '../test/sim/simulate.ts'
import { run } from './run.ts'
import { wholeNumber } from './whole-number.ts'

/** One seed in so many is also a simulation of replays, which need less to show what they can do wrong. */
const replayEvery = 4
/** Alerts need hours of virtual time, and so a hundred times as long as a consumer. */
const alertsEvery = 80
/** What each process says about its share of them. */
const ofAlerts = /^alerts: (\d+) in (\d+) ms\n/m

const usage = `npm run sim -- [--seeds N] [--from F] [--seed S] [--replay | --alerts] [--bugs]

  --seeds  how many simulations (default 1000), after those that once failed
  --from   the first seed (default 1)
  --seed   only this one, with everything that happened
  --replay with --seed: the simulation of replays
  --alerts the simulation of alerts: with --seed that one, else all of them and nothing else
  --bugs   which seed finds each planted bug

Runs the real runtime on simulated brokers (leases, delivery tags, a log with generations, redelivery timers) and a simulated disk in virtual
time, with faults drawn from the seed: crashes, lost connections, calls that fail before or after they took effect, a dead-letter channel that
refuses, deployments, rebalances, clock jumps, disks that are slow, full, fail or lose their power, an outage of what the handlers need. Then
everything heals and must come to an end. One seed in ${replayEvery} also runs the real control plane, which replays letters on a vault and to a broker that
fail, while it dies and two people tell it this and that. One in ${alertsEvery} runs the alert engine with its outbox, on brokers and to receivers that come and go,
while it dies and people want silence.`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    replay: { type: 'boolean', default: false },
    alerts: { type: 'boolean', default: false },
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

type Kind = 'consumers' | 'replay' | 'alerts'

async function one(seed: number): Promise<void> {
  const kind = values.alerts ? 'alerts' : values.replay ? 'replay' : 'consumers'
  const { violations, trace } = await (kind === 'consumers' ? simulate(seed, undefined, console.log) : simulateKind(kind, seed))
  console.log(trace)
  tell(kind, seed, violations)
  console.log(`${violations.length === 0 ? 1 : 0} passed, ${violations.length === 0 ? 0 : 1} failed`)
}

function simulateKind(kind: Kind, seed: number): Promise<SimResult> {
  if (kind === 'alerts') return simulateAlerts(seed)
  return kind === 'replay' ? simulateReplay(seed) : simulate(seed)
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
  for (const output of outputs) process.stdout.write(output.replace(/^\d+ passed, \d+ failed\n/m, '').replace(ofAlerts, ''))
  tellAlerts(outputs)
  const perMinute = Math.round((Number(passed) + Number(failed)) / ((performance.now() - startedAt) / 60_000))
  console.log(`${perMinute} simulations a minute in ${workers} processes`)
  console.log(`${passed} passed, ${Number(failed) + died} failed`)
  if (Number(failed) + died > 0) process.exitCode = 1
}

function tellAlerts(outputs: readonly string[]): void {
  const shares = outputs.map((output) => ofAlerts.exec(output))
  const [simulations, ms] = [1, 2].map((group) => shares.reduce((sum, share) => sum + Number(share?.[group] ?? 0), 0))
  const seconds = Math.round(Number(ms) / shares.length / 100) / 10
  console.log(`${simulations} of them were alerts, which took ${seconds} s of each process`)
}

async function shareOf(index: number, workers: number): Promise<string> {
  const range = ['--seeds', values.seeds, '--from', values.from, '--share', String(index), '--of', String(workers)]
  const { output } = await run(process.execPath, ['scripts/sim.ts', ...range, ...(values.alerts ? ['--alerts'] : [])])
  return output
}

async function some(share: number, of: number): Promise<void> {
  const from = wholeNumber('from', values.from, 0)
  const drawn = Array.from({ length: wholeNumber('seeds', values.seeds, 1) }, (_, index) => from + index)
  // Faults are thrown by the thousand, and nobody looks at where.
  Error.stackTraceLimit = 0
  let [passed, failed, alerts, alertMs] = [0, 0, 0, 0]
  const judge = async (kind: Kind, seed: number): Promise<void> => {
    const startedAt = performance.now()
    const { violations } = await simulateKind(kind, seed)
    if (kind === 'alerts') [alerts, alertMs] = [alerts + 1, alertMs + performance.now() - startedAt]
    if (violations.length > 0) failed++
    else passed++
    tell(kind, seed, violations)
  }
  const isOurs = (_: number, index: number): boolean => index % of === share
  if (values.alerts) for (const seed of drawn.filter(isOurs)) await judge('alerts', seed)
  else {
    if (share === 0) for (const seed of replayRegressions) await judge('replay', seed)
    for (const seed of alertRegressions.filter(isOurs)) await judge('alerts', seed)
    for (const [index, seed] of [...regressions, ...drawn].filter(isOurs).entries()) {
      await judge('consumers', seed)
      if (index % replayEvery === 0) await judge('replay', seed)
      if (index % alertsEvery === 0) await judge('alerts', seed)
    }
  }
  console.log(`alerts: ${alerts} in ${Math.round(alertMs)} ms`)
  console.log(`${passed} passed, ${failed} failed`)
}

function tell(kind: Kind, seed: number, violations: readonly string[]): void {
  if (violations.length === 0) return
  process.exitCode = 1
  console.log(`seed ${seed}: npm run sim -- --seed ${seed}${kind === 'consumers' ? '' : ` --${kind}`}`)
  for (const violation of violations) console.log(`  ${violation}`)
}

async function tellDetections(): Promise<void> {
  const detections = await Promise.all(allBugs.map(detect))
  const missed = detections.filter(({ seed }) => seed === undefined).length
  for (const { bug, seed, violation } of detections) console.log(`${String(seed ?? 'none').padStart(6)}  ${bug}: ${violation}`)
  console.log(`${detections.length - missed} passed, ${missed} failed`)
  if (missed > 0) process.exitCode = 1
}
