import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { backlog } from '../bench/backlog.ts'
import { embeddedScenarios } from '../bench/embedded.ts'
import { halfLoad } from '../bench/half-load.ts'
import { interleave, median, medianInterval, type Sample } from '../bench/measure.ts'
import { memoryScenarios } from '../bench/memory.ts'
import type { Scenario } from '../bench/scenario.ts'
import { seed000 } from '../bench/seed-000.ts'

const suites: Readonly<Record<string, readonly Scenario[]>> = { memory: memoryScenarios, embedded: embeddedScenarios }

const usage = `npm run bench -- <name>… [--json] [--rounds N] [--scale F] [--only SCENARIO]

  names: ${Object.keys(suites).join(', ')}, and seed-000 (from the rejection to the alert, --runs of it, on RabbitMQ)
  --json     the last line is one JSON object: scenario → { redrive, bare, peers, cpuMicrosPerMessage }, messages per second
  --rounds   interleaved rounds of each scenario, at least 5 for a report (default 7)
  --scale    multiplies the number of messages (default 1)
  --only     only scenarios whose name starts with this`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    runs: { type: 'string', default: '50' },
    help: { type: 'boolean', default: false },
  },
})

const unknown = positionals.filter((name) => !(name in suites) && name !== 'seed-000')
if (values.help || positionals.length === 0 || unknown.length > 0) {
  console.error(unknown.length > 0 ? `unknown: ${unknown.join(', ')}\n\n${usage}` : usage)
  process.exit(values.help ? 0 : 2)
}

const report: Record<string, object> = {}
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${new Date().toISOString()}`,
)
console.log(`npm run bench -- ${process.argv.slice(2).join(' ')}\n`)
// In this order whatever was asked for: memory measures the runtime alone, and code that has met two transports is slower.
for (const scenario of Object.keys(suites)
  .filter((name) => positionals.includes(name))
  .flatMap((name) => suites[name] ?? [])) {
  if (!scenario.name.startsWith(values.only)) continue
  const messages = Math.round(scenario.messages * Number(values.scale))
  report[scenario.name] = summarise(scenario.name, await interleave(scenario.contenders(), messages, Number(values.rounds)))
}
if (positionals.includes('memory') && 'success-half-load-memory'.startsWith(values.only))
  report['success-half-load-memory'] = await latency()
if (positionals.includes('embedded') && 'success-backlog-embedded'.startsWith(values.only))
  report['success-backlog-embedded'] = await backlogs()
if (positionals.includes('seed-000')) report['seed-000'] = await seed000(Number(values.runs))
if (values.json) console.log(JSON.stringify(report))

async function latency(): Promise<object> {
  const { perSecond, p99Ms } = await halfLoad(Number(values.rounds))
  console.log(`success-half-load-memory at ${count(perSecond).trim()}/s`)
  console.log(`  p99 from send to handler: bare ${p99Ms.bare.toFixed(2)} ms, redrive ${p99Ms.redrive.toFixed(2)} ms`)
  return { redrive: perSecond, bare: perSecond, peers: {}, cpuMicrosPerMessage: {}, p99Ms }
}

async function backlogs(): Promise<object> {
  const scale = Number(values.scale)
  const [small, large] = [await backlog(Math.round(10_000 * scale)), await backlog(Math.round(1_000_000 * scale))]
  console.log('success-backlog-embedded')
  for (const { queued, peakRssMiB, perSecond } of [small, large]) {
    console.log(`  ${count(queued)} queued: peak ${peakRssMiB} MiB, ${count(perSecond).trim()}/s`)
  }
  return { redrive: large.perSecond, bare: small.perSecond, peers: {}, cpuMicrosPerMessage: {}, peakRssMiB: { small, large } }
}

function summarise(name: string, samples: ReadonlyMap<string, readonly Sample[]>): object {
  const perSecond: Record<string, number> = {}
  const cpu: Record<string, number> = {}
  console.log(name)
  for (const [contender, own] of samples) {
    const rates = own.map((sample) => sample.perSecond)
    const [low, high] = medianInterval(rates)
    perSecond[contender] = Math.round(median(rates))
    cpu[contender] = Number(median(own.map((sample) => sample.cpuMicrosPerMessage)).toFixed(2))
    const ratio = contender === 'bare' ? '' : `  ${((perSecond[contender] ?? 0) / (perSecond['bare'] ?? 1)).toFixed(2)} of bare`
    console.log(
      `  ${contender.padEnd(10)} ${count(perSecond[contender])}/s  [${count(low)} … ${count(high)}]  ${cpu[contender]} µs CPU/message${ratio}`,
    )
  }
  const { redrive, bare, ...peers } = perSecond
  return { redrive, bare, peers, cpuMicrosPerMessage: cpu }
}

function count(value: number | undefined): string {
  return Math.round(value ?? 0)
    .toLocaleString('en')
    .padStart(9)
}
