import { parseArgs } from 'node:util'
import { powerLossRow } from '../test/faults/embedded/power-loss-row.ts'
import { isFlawless, type Verdict } from '../test/faults/ledger.ts'
import { faultRows } from '../test/faults/rows.ts'
import { arenas } from '../test/faults/subjects.ts'
import { wholeNumber } from './whole-number.ts'

const usage = `npm run faults -- <transport>… [--messages N] [--kills N] [--power N] [--seed S] [--json]

  transports: ${Object.keys(arenas).join(', ')}
  --messages  sent in all, over all faults (default 20000)
  --kills     random kills (default 200)
  --power     power losses (default 20; needs root, otherwise NOT RUN)
  --seed      of the random moments (default: drawn, and printed)

Prints fault × sent × lost × duplicated × dead-lettered wrongly × rightly poison × order, judged by observers that do not use the runtime: the producer's log, the handlers' log, and
a plain client that reads every channel at the end. Ends with 1 when anything was lost, invented, buried wrongly or out of order.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '200' },
    power: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const unknown = positionals.filter((name) => !(name in arenas))
if (values.help || positionals.length === 0 || unknown.length > 0) {
  console.error(unknown.length > 0 ? `unknown: ${unknown.join(', ')}\n\n${usage}` : usage)
  process.exit(values.help ? 0 : 2)
}

const columns = ['  sent', ' lost', 'duplicated', 'dead-lettered wrongly', 'rightly poison', '  order']
const messages = wholeNumber('messages', values.messages, 1)
const kills = wholeNumber('kills', values.kills, 0)
const power = wholeNumber('power', values.power, 0)
const seed = wholeNumber('seed', values.seed, 0)
const report: Record<string, Verdict> = {}
let [passed, failed, notRun] = [0, 0, 0]

for (const subject of positionals) {
  console.log(`${subject}, seed ${seed}\n`)
  console.log(line('fault', ...columns))
  const rows = faultRows(kills, seed)
  for (const row of rows) {
    const arena = await arenas[subject]?.()
    if (!arena) continue
    const { verdict, crashes } = await row.run(subject, arena, Math.ceil(messages / rows.length))
    await arena.close()
    show(crashes > 0 ? `${row.name} (${crashes} died)` : row.name, verdict)
  }
  if (subject === 'embedded') await powerLoss()
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
  const isGood = isFlawless(verdict)
  if (isGood) passed++
  else failed++
  report[name] = verdict
  const { sent, lost, duplicated, wronglyDead, rightlyPoison, disordered } = verdict
  const order = disordered.length === 0 ? 'kept' : `${disordered.length} wrong`
  const cells = [sent, lost.length, duplicated, wronglyDead.length, rightlyPoison.length, order]
  console.log(line(name, ...cells, isGood ? '' : 'FAILED'))
  if (!isGood) console.log(JSON.stringify(verdict))
}

function line(name: string, ...cells: readonly (string | number)[]): string {
  const padded = cells.map((cell, index) => String(cell).padStart(columns[index]?.length ?? 0))
  return [name.padEnd(62), ...padded].join('  ').trimEnd()
}

if (values.json) console.log(JSON.stringify(report))
if (notRun > 0) console.log(`${notRun} NOT RUN: run as root on Linux with e2fsprogs and Perl`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && !(notRun > 0 && process.env['CI']) ? 0 : 1
