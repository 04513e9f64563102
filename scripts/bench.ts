import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { backlog } from '../bench/backlog.ts'
import { halfLoad } from '../bench/half-load.ts'
import { startRabbitmq } from '../bench/rabbitmq/broker.ts'
import { pairwise, playRounds, type Round } from '../bench/rounds.ts'
import { type Estimate, estimate } from '../bench/statistics.ts'
import { suites } from '../bench/suites.ts'

/** What each name measures beside the scenarios of its suite. */
const names: Readonly<Record<string, Readonly<Record<string, () => Promise<object>>>>> = {
  embedded: { 'success-backlog-embedded': backlogs },
  memory: { 'success-half-load-memory': latency },
  rabbitmq: {},
}

const usage = `npm run bench -- <name>… [--json] [--rounds N] [--slices N] [--scale F] [--only SCENARIO] [--contenders A,B]

  names: ${Object.keys(names).join(', ')}
  --json     the last line is one JSON object: scenario → { redrive, bare, peers, cpuMicrosPerMessage }, messages per second
  --rounds   interleaved rounds of each scenario, at least 6 for an interval of 95 % (default 9)
  --slices   interleaved seconds of each contender where waits are measured (default 40)
  --scale    multiplies the number of messages (default 1)
  --only     only scenarios whose name starts with this
  --contenders   only contenders whose names start with these`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '9' },
    slices: { type: 'string', default: '40' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    contenders: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})

const unknown = positionals.filter((name) => !(name in names))
if (values.help || positionals.length === 0 || unknown.length > 0) {
  console.error(unknown.length > 0 ? `unknown: ${unknown.join(', ')}\n\n${usage}` : usage)
  process.exit(values.help ? 0 : 2)
}

const wantedContenders = values.contenders.split(',')
const wanted = (contender: string): boolean => wantedContenders.some((start) => contender.startsWith(start))
const report: Record<string, object> = {}
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${new Date().toISOString()}`,
)
console.log(`npm run bench -- ${process.argv.slice(2).join(' ')}\n`)
for (const name of positionals) {
  const broker = name === 'rabbitmq' ? await startRabbitmq() : undefined
  for (const scenario of (await suites[name]?.()) ?? []) {
    if (!scenario.name.startsWith(values.only)) continue
    const messages = Math.round(scenario.messages * Number(values.scale))
    report[scenario.name] = summarise(
      scenario.name,
      await playRounds(name, scenario, { messages, rounds: Number(values.rounds), wanted }),
    )
  }
  for (const [scenario, measure] of Object.entries(names[name] ?? {})) {
    if (scenario.startsWith(values.only)) report[scenario] = await measure()
  }
  await broker?.stop()
}
if (values.json) console.log(JSON.stringify(report))

/** Rates are medians over the rounds; what is compared is compared within each round first. */
function summarise(name: string, rounds: readonly Round[]): object {
  const perSecond: Record<string, number> = {}
  const cpu: Record<string, number> = {}
  const ofBare: Record<string, Estimate> = {}
  const addedCpu: Record<string, Estimate> = {}
  const lost: Record<string, number> = {}
  console.log(name)
  for (const contender of [...(rounds[0]?.keys() ?? [])].sort((a) => (a === 'bare' ? -1 : 0))) {
    const own = rounds.flatMap((round) => round.get(contender) ?? [])
    const rate = estimate(own.map((sample) => sample.perSecond))
    perSecond[contender] = Math.round(rate.median)
    cpu[contender] = rounded(estimate(own.map((sample) => sample.cpuMicrosPerMessage)).median)
    console.log(`  ${contender.padEnd(10)} ${count(rate.median)}/s  ${between(rate, count)}  ${cpu[contender]} µs CPU/message`)
    const missing = own.reduce((sum, { figures }) => sum + (figures['lost'] ?? 0), 0)
    if (missing > 0) {
      lost[contender] = missing
      console.log(`  ${''.padEnd(10)} LOST ${missing} messages in ${rounds.length} rounds`)
    }
    if (contender === 'bare') continue
    const ratio = estimate(pairwise(rounds, contender, (mine, bare) => mine.perSecond / bare.perSecond))
    const added = estimate(pairwise(rounds, contender, (mine, bare) => mine.cpuMicrosPerMessage - bare.cpuMicrosPerMessage))
    console.log(
      `  ${''.padEnd(10)} ${ratio.median.toFixed(2)} of bare ${between(ratio, fixed)}, ${fixed(added.median)} µs CPU added ${between(added, fixed)}`,
    )
    ofBare[contender] = ratio
    addedCpu[contender] = added
  }
  const { redrive, bare, ...peers } = perSecond
  return { redrive, bare, peers, cpuMicrosPerMessage: cpu, ofBare, addedCpuMicros: addedCpu, lost }
}

async function latency(): Promise<object> {
  const { perSecond, p50Ms, p99Ms, added, noise } = await halfLoad(Number(values.slices))
  console.log(`success-half-load-memory at ${count(perSecond).trim()}/s`)
  for (const name of Object.keys(p99Ms)) {
    console.log(`  ${name.padEnd(10)} p50 ${fixed(p50Ms[name])} ms, p99 ${fixed(p99Ms[name])} ms`)
  }
  console.log(
    `  added at p99: redrive ${fixed(added.median)} ms ${between(added, fixed)}, twin of bare ${fixed(noise.median)} ms ${between(noise, fixed)}`,
  )
  return {
    redrive: perSecond,
    bare: perSecond,
    peers: {},
    cpuMicrosPerMessage: {},
    p50Ms,
    p99Ms,
    addedP99Ms: { redrive: added, twin: noise },
  }
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

function between({ low, high }: Estimate, text: (value: number) => string): string {
  return `[${text(low)} … ${text(high)}]`
}

function fixed(value = Number.NaN): string {
  return value.toFixed(2)
}

function rounded(value: number): number {
  return Number(value.toFixed(2))
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en').padStart(9)
}
