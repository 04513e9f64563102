import { parseArgs } from 'node:util'
import { parseDuration } from '../src/core/duration.ts'
import { powerLossRow } from '../test/faults/embedded/power-loss-row.ts'
import { kafkaFaults } from '../test/faults/kafka/faults.ts'
import { isFlawless, type Verdict } from '../test/faults/ledger.ts'
import { type OutageRow, outageRows } from '../test/faults/outage-rows.ts'
import { type RabbitFaults, rabbitFaults, type Tally } from '../test/faults/rabbitmq/faults.ts'
import { replayRows } from '../test/faults/replay/rows.ts'
import { faultRows } from '../test/faults/rows.ts'
import { arenas } from '../test/faults/subjects.ts'
import { exitOnSignals } from './brokers/process.ts'
import { MissingBroker } from './brokers/start.ts'
import { wholeNumber } from './whole-number.ts'

exitOnSignals()
const subjects = [...Object.keys(arenas), 'rabbitmq', 'kafka', 'replay']
const usage = `npm run faults -- <subject>… [--messages N] [--kills N] [--power N] [--outage 60s] [--smoke] [--only TEXT] [--seed S] [--json]

  subjects: ${subjects.join(', ')}; the last one is the control plane, which is killed while it replays letters
  --messages  sent in all, over all faults (default 20000; rabbitmq and kafka 100000, with --smoke 2000; replay 10000 in each row)
  --kills     random kills (default 200; rabbitmq and kafka 30, replay 100)
  --power     power losses of the embedded queue (default 20; needs root, otherwise NOT RUN)
  --outage    rows by the clock: the dead-letter channel is down for so long under a steady load (default 0s: none)
  --smoke     rabbitmq, kafka: every fault in little, without the peers
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
  if (subject === 'rabbitmq') await onBroker(rabbitFaults)
  else if (subject === 'replay') await onReplays()
  else if (subject === 'kafka') await onBroker(({ kills, ...rest }) => kafkaFaults({ ...rest, times: kills }))
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
  console.log(`${'fault'.padEnd(62)}  letters  killed  lost  sent twice  unknown  most unknown by one death`)
  for await (const { name, verdict, isGood } of replayRows(given('messages', 500, 10_000), given('kills', 0, 100), seed)) {
    if (isGood) passed++
    else failed++
    const { letters, kills, lost, twice, unknown, mostUnknownAtOnce } = verdict
    const cells = [letters, kills, lost, twice, unknown, mostUnknownAtOnce].map((cell) => String(cell).padStart(6))
    console.log(`${name.padEnd(62)} ${cells.join('  ')}${isGood ? '' : '  FAILED'}`)
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

async function onBroker(faultsOf: (faults: RabbitFaults) => Promise<Tally>): Promise<void> {
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
    console.log(`NOT RUN  ${error.message}`)
  }
}

async function powerLoss(): Promise<void> {
  const outcome = await powerLossRow(power)
  if ('notRun' in outcome) {
    notRun++
    console.log(`NOT RUN  power loss: ${outcome.notRun}`)
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
