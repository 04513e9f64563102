import { parseArgs } from 'node:util'
import { backlogs } from '../bench/backlog.ts'
import { halfLoad } from '../bench/half-load.ts'
import { machineLine } from '../bench/machine.ts'
import { startKafka, startRabbitmq } from '../bench/rabbitmq/broker.ts'
import { playRounds } from '../bench/rounds.ts'
import { seed000 } from '../bench/seed-000.ts'
import { suites } from '../bench/suites.ts'
import { count, printWaits, summarise } from '../bench/summary.ts'
import { vaultBench } from '../bench/vault/vault.ts'
import type { Broker } from './brokers/start.ts'

/** What each name measures beside the scenarios of its suite. */
const names: Readonly<Record<string, Readonly<Record<string, () => Promise<object>>>>> = {
  embedded: { 'success-backlog-embedded': backlog },
  memory: { 'success-half-load-memory': latency },
  kafka: {},
  rabbitmq: {},
  vault: { 'vault-letters': vault },
  'seed-000': { 'seed-000': () => seed000(Number(values.runs)) },
}

const usage = `npm run bench -- <name>… [--json] [--rounds N] [--slices N] [--scale F] [--only SCENARIO] [--contenders A,B]

  names: ${Object.keys(names).join(', ')}
  --json     the last line is one JSON object: scenario → { redrive, bare, peers, cpuMicrosPerMessage }, messages per second
  --rounds   interleaved rounds of each scenario, at least 6 for an interval of 95 % (default 9)
  --slices   interleaved seconds of each contender where waits are measured (default 40)
  --scale    multiplies the number of messages (default 1)
  --only     only scenarios whose name starts with this
  --contenders   only contenders whose names start with these
  --runs     how often seed-000 goes from the rejection to the alert, on RabbitMQ (default 50)`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '9' },
    slices: { type: 'string', default: '40' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    contenders: { type: 'string', default: '' },
    runs: { type: 'string', default: '50' },
    help: { type: 'boolean', default: false },
  },
})

const unknown = positionals.filter((name) => !(name in names))
if (values.help || positionals.length === 0 || unknown.length > 0) {
  console.error(unknown.length > 0 ? `unknown: ${unknown.join(', ')}\n\n${usage}` : usage)
  process.exit(values.help ? 0 : 2)
}

/** Brokers that the contenders share. */
const starts: Readonly<Record<string, () => Promise<Broker>>> = { kafka: startKafka, rabbitmq: startRabbitmq }
const wantedContenders = values.contenders.split(',')
const wanted = (contender: string): boolean => wantedContenders.some((start) => contender.startsWith(start))
const report: Record<string, object> = {}
console.log(machineLine())
console.log(`npm run bench -- ${process.argv.slice(2).join(' ')}\n`)
for (const name of positionals) {
  const broker = await starts[name]?.()
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

async function latency(): Promise<object> {
  const { perSecond, all, calm } = await halfLoad(Number(values.slices))
  console.log(`success-half-load-memory at ${count(perSecond).trim()}/s`)
  printWaits(all, 'slices')
  if (calm && calm.slices < all.slices) printWaits(calm, 'calm slices')
  return { redrive: perSecond, bare: perSecond, peers: {}, cpuMicrosPerMessage: {}, waits: { all, calm } }
}

async function backlog(): Promise<object> {
  const { small, large } = await backlogs(Math.round(1_000_000 * Number(values.scale)), Number(values.rounds))
  console.log('success-backlog-embedded')
  for (const { queued, peakRssMiB, perSecond } of [small, large]) {
    console.log(
      `  ${count(queued)} queued: peak ${peakRssMiB.median} MiB [${peakRssMiB.low} … ${peakRssMiB.high}], ${count(perSecond.median).trim()}/s`,
    )
  }
  const [redrive, bare] = [large.perSecond.median, small.perSecond.median]
  return { redrive, bare, peers: {}, cpuMicrosPerMessage: {}, peakRssMiB: { small: small.peakRssMiB, large: large.peakRssMiB } }
}

async function vault(): Promise<object> {
  const report = await vaultBench(Math.round(1_000_000 * Number(values.scale)))
  const { letters, ofBare, ingestPerSecond, barePerSecond, fileMiB, answers, loop } = report
  const ms = (value: number): string => value.toFixed(2).padStart(8)
  console.log(`vault-letters: ${count(letters).trim()} letters of 1 KiB, ${Math.round(fileMiB)} MiB`)
  console.log(
    `  ingest ${count(ingestPerSecond).trim()}/s beside ${count(barePerSecond).trim()}/s bare: ${ofBare.median.toFixed(2)} of bare [${ofBare.low.toFixed(2)} … ${ofBare.high.toFixed(2)}]`,
  )
  console.log(
    `  ${'ms'.padEnd(28)} ${'p50, a tenth'.padStart(13)} ${'p95, a tenth'.padStart(13)}      p50      p95   p95 of a tenth's`,
  )
  for (const [name, { small, large }] of Object.entries(answers)) {
    const ratio = (large.p95 / small.p95).toFixed(2)
    console.log(
      `  ${name.padEnd(28)} ${ms(small.p50).padStart(13)} ${ms(small.p95).padStart(13)} ${ms(large.p50)} ${ms(large.p95)}   ${ratio}`,
    )
  }
  console.log(`  event loop late by p50 ${loop.p50.toFixed(2)}, p99 ${loop.p99.toFixed(2)}, at most ${loop.max.toFixed(2)} ms`)
  return { redrive: Math.round(ingestPerSecond), bare: Math.round(barePerSecond), peers: {}, cpuMicrosPerMessage: {}, ...report }
}
