import { parseArgs } from 'node:util'
import { parseDuration } from '../src/core/duration.ts'
import { powerLossRow } from '../test/faults/embedded/power-loss-row.ts'
import type { Faults } from '../test/faults/harness/play-rows.ts'
import type { Tally } from '../test/faults/harness/row-report.ts'
import { kafkaFaults } from '../test/faults/kafka/faults.ts'
import { isFlawless, type Verdict } from '../test/faults/ledger.ts'
import { type OutageRow, outageRows } from '../test/faults/outage-rows.ts'
import { postgresFaults } from '../test/faults/postgres/faults.ts'
import { rabbitFaults } from '../test/faults/rabbitmq/faults.ts'
import { redisFaults } from '../test/faults/redis/faults.ts'
import { canaryRuns } from '../test/faults/replay/canary-runs.ts'
import { replayRows } from '../test/faults/replay/rows.ts'
import { rocketmqFaults } from '../test/faults/rocketmq/faults.ts'
import { faultRows } from '../test/faults/rows.ts'
import { servicebusFaults } from '../test/faults/servicebus/faults.ts'
import { severalRows } from '../test/faults/several/rows.ts'
import { sqsFaults } from '../test/faults/sqs/faults.ts'
import { arenas } from '../test/faults/subjects.ts'
import { exitOnSignals } from './brokers/process.ts'
import { MissingBroker } from './brokers/start.ts'
import { MissingToxiproxy } from './brokers/toxiproxy.ts'
import { wholeNumber } from './whole-number.ts'

exitOnSignals()
const servers: Readonly<Record<string, (faults: Faults) => Promise<Tally>>> = {
  rabbitmq: rabbitFaults,
  kafka: kafkaFaults,
  postgres: postgresFaults,
  redis: redisFaults,
  rocketmq: rocketmqFaults,
  sqs: sqsFaults,
  servicebus: servicebusFaults,
}
const subjects = [...Object.keys(arenas), ...Object.keys(servers), 'replay', 'several']
const usage = `npm run faults -- <subject>… [--messages N] [--kills N] [--power N] [--outage 60s] [--smoke] [--only TEXT] [--seed S] [--json]

  subjects: ${subjects.join(', ')}; servers are ${Object.keys(servers).join(', ')}, replay is the control plane, which is killed while it replays letters, as is the broker, and several are
  three control planes on one PostgreSQL, of which whoever works is killed or frozen while it collects, replays and tells of alerts
  --messages  sent in all, over all faults (default 20000; servers 100000, with --smoke 2000; replay 10000 in each row; several 100000 collected, a tenth of them replayed)
  --kills     random kills (default 200; servers 30, replay 100; several 10, of which half freeze)
  --power     power losses of the embedded queue (default 20; needs root, otherwise NOT RUN)
  --outage    rows by the clock: the dead-letter channel is down for so long under a steady load (default 0s: none)
  --smoke     servers: the faults in little, without the peers
  --only      only faults whose names hold this
  --seed      of the random moments (default: drawn, and printed)

Prints fault × sent × lost × duplicated × dead-lettered wrongly × rightly poison × order, judged by observers that do not use the runtime: the producer's log, the handlers' log, and
a plain client that reads every channel at the end. Ends with 1 when anything was lost, invented, buried wrongly or out of order.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: 'string' },
    kills: { type: 'string' },
    smoke: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    power: { type: 'string', default: '20' },
    outage: { type: 'string', default: '0s' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const unknown = positionals.filter((name) => !subjects.includes(name))
if (values.help || positionals.length === 0 || unknown.length > 0) {
  console.error(unknown.length > 0 ? `unknown: ${unknown.join(', ')}\n\n${usage}` : usage)
  process.exit(values.help ? 0 : 2)
}

const columns = ['  sent', ' lost', 'duplicated', 'dead-lettered wrongly', 'rightly poison', '  order']
const given = (name: 'messages' | 'kills', least: number, otherwise: number) =>
  wholeNumber(name, values[name] ?? String(otherwise), least)
const outage = parseDuration(values.outage, '--outage')
const power = wholeNumber('power', values.power, 0)
const seed = wholeNumber('seed', values.seed, 0)
const report: Record<string, Verdict> = {}
let [passed, failed, notRun] = [0, 0, 0]

for (const subject of positionals) {
  console.log(`${subject}, seed ${seed}\n`)
  const faultsOf = servers[subject]
  if (faultsOf) await onServer(faultsOf)
  else if (subject === 'replay') await onReplays()
  else if (subject === 'several') await onSeveral()
  else await onArena(subject)
}

async function onArena(subject: string): Promise<void> {
  console.log(line('fault', ...columns))
  const isWanted = ({ name }: { readonly name: string }): boolean => name.includes(values.only)
  const rows = faultRows(given('kills', 0, 200), seed).filter(isWanted)
  const messages = given('messages', 1, 20_000)
  for (const row of rows) {
    const arena = await arenas[subject]?.()
    if (!arena) continue
    const { verdict, crashes } = await row.run(subject, arena, Math.ceil(messages / rows.length))
    await arena.close()
    show(crashes > 0 ? `${row.name} (${crashes} died)` : row.name, verdict)
  }
  for (const row of outageRows(outage).filter(isWanted)) await byTheClock(subject, row)
  if (subject === 'embedded' && isWanted({ name: 'power cut' })) await powerLoss()
}

/** Judged by the queue itself: how often each letter lies there, beside what the ledger says. */
async function onReplays(): Promise<void> {
  const heads = [
    'letters',
    'killed',
    'lost',
    'sent twice unseen',
    'unknown',
    'most by one death',
    'arrived twice when sent again',
  ]
  console.log([`fault`.padEnd(68), ...heads].join('  '))
  const rows = replayRows(given('messages', 500, 10_000), given('kills', 0, 100), seed)
  for (const row of rows.filter(({ name }) => name.includes(values.only))) {
    try {
      const verdict = await row.run()
      const { letters, kills, lost, twice, unknown, mostUnknownAtOnce, arrivedTwice } = verdict
      const isGood = row.isGood(verdict)
      if (isGood) passed++
      else failed++
      const cells = [letters, kills, lost, twice, unknown, mostUnknownAtOnce, arrivedTwice]
      const padded = cells.map((cell, index) => String(cell).padStart(heads[index]?.length ?? 0))
      console.log([row.name.padEnd(68), ...padded, isGood ? '' : 'FAILED'].join('  ').trimEnd())
    } catch (error) {
      if (!(error instanceof MissingBroker || error instanceof MissingToxiproxy)) throw error
      notRun++
      console.log(`NOT RUN: ${row.name}: ${error.message}`)
    }
  }
  if ('canary'.includes(values.only)) await onCanaries(Math.max(2, Math.round(given('kills', 0, 100) / 2)))
}

/** Judged by the tables and the queue themselves, and by who is told of alerts. */
async function onSeveral(): Promise<void> {
  for (const row of severalRows(given('messages', 100, 100_000), given('kills', 1, 10), seed)) {
    if (!row.name.includes(values.only)) continue
    const verdict = await row.run()
    const { all, lost, twice, struck, note } = verdict
    const isGood = row.isGood(verdict)
    if (isGood) passed++
    else failed++
    const { kills, freezes, takeOvers } = struck
    const told = `${all} in all, ${kills} killed and ${freezes} frozen, ${lost} lost, ${twice} twice; ${note}`
    console.log(`${row.name.padEnd(40)}  ${told}; another one worked after ${takeOvers.join(', ')} ms${isGood ? '' : '  FAILED'}`)
  }
}

/** With a handler that still fails nothing beyond the first step may be sent; with one that works, everything. */
async function onCanaries(runs: number): Promise<void> {
  for (const plant of [{}, { withoutCanary: true } as const]) {
    const { mostBeyond, sentWhenMended, letters } = await canaryRuns({ runs, ...plant })
    const isSafe = mostBeyond <= 0 && sentWhenMended === letters
    const isGood = 'withoutCanary' in plant ? !isSafe : isSafe
    if (isGood) passed++
    else failed++
    const name =
      'withoutCanary' in plant ? '  planted: no canary (must be found)' : `canary, ${runs} runs with a handler that still fails`
    const told = `at most ${mostBeyond} beyond the first step; mended, ${sentWhenMended} of ${letters} sent`
    console.log(`${name.padEnd(68)}  ${told}${isGood ? '' : '  FAILED'}`)
  }
}

async function byTheClock(subject: string, row: OutageRow): Promise<void> {
  const arena = await arenas[subject]?.()
  if (!arena) return
  const { verdict, note, complaints } = await row.run(subject, arena)
  await arena.close()
  const isGood = row.isTwin ? complaints.length > 0 : isFlawless(verdict) && complaints.length === 0
  tally(row.name, verdict, isGood, note)
  if (!isGood) for (const complaint of complaints) console.log(`  ${complaint}`)
}

async function onServer(faultsOf: (faults: Faults) => Promise<Tally>): Promise<void> {
  const { smoke: isSmoke, only } = values
  const messages = given('messages', 1, isSmoke ? 2000 : 100_000)
  try {
    const tally = await faultsOf({ messages, kills: given('kills', 0, isSmoke ? 5 : 30), seed, isSmoke, only, outage })
    passed += tally.passed
    failed += tally.failed
    notRun += tally.notRun
  } catch (error) {
    if (!(error instanceof MissingBroker)) throw error
    notRun++
    console.log(`NOT RUN: ${error.message}`)
  }
}

async function powerLoss(): Promise<void> {
  const outcome = await powerLossRow(power)
  if ('notRun' in outcome) {
    notRun++
    console.log(`NOT RUN: power loss: ${outcome.notRun}`)
    return
  }
  const { acknowledged, lost, twinLost, refusals } = outcome
  const isGood = lost === 0 && twinLost > 0
  if (isGood) passed++
  else failed++
  console.log(line(`power cut ${power} times`, acknowledged, lost, '-', '-', '-', '-', isGood ? '' : 'FAILED'))
  for (const refusal of refusals) console.log(`  not readable after a reboot: ${refusal}`)
  console.log(line('  the same with durability: normal (must lose)', '-', twinLost, '-', '-', '-', '-'))
}

function show(name: string, verdict: Verdict): void {
  tally(name, verdict, isFlawless(verdict))
}

function tally(name: string, verdict: Verdict, isGood: boolean, note?: string): void {
  if (isGood) passed++
  else failed++
  report[name] = verdict
  const { sent, lost, duplicated, wronglyDead, rightlyPoison, disordered } = verdict
  const order = disordered.length === 0 ? 'kept' : `${disordered.length} wrong`
  const cells = [sent, lost.length, duplicated, wronglyDead.length, rightlyPoison.length, order]
  console.log(line(name, ...cells, [note && `(${note})`, isGood ? '' : 'FAILED'].filter(Boolean).join('  ')))
  if (!isGood) console.log(JSON.stringify(verdict))
}

function line(name: string, ...cells: readonly (string | number)[]): string {
  const padded = cells.map((cell, index) => String(cell).padStart(columns[index]?.length ?? 0))
  return [name.padEnd(62), ...padded].join('  ').trimEnd()
}

if (values.json) console.log(JSON.stringify(report))
if (notRun > 0)
  console.log(`${notRun} NOT RUN: each says what it needs; a power loss needs root on Linux, with e2fsprogs and Perl`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && !(notRun > 0 && process.env['CI']) ? 0 : 1
