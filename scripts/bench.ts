import { parseArgs } from 'node:util'
import { alertBench } from '../bench/alert.ts'
import { backlogs } from '../bench/backlog.ts'
import {
  startElasticmq,
  startKafka,
  startPostgres,
  startRabbitmq,
  startRedis,
  startRocketmq,
  startServicebus,
} from '../bench/brokers.ts'
import { dashboardBench, printDashboard } from '../bench/dashboard/dashboard.ts'
import { halfLoad } from '../bench/half-load.ts'
import { machineLine } from '../bench/machine.ts'
import { churn } from '../bench/postgres/churn.ts'
import { playRounds, type Round } from '../bench/rounds.ts'
import { seed000 } from '../bench/seed-000.ts'
import { printSeveral, severalBench, smallShare } from '../bench/several/several.ts'
import { suites } from '../bench/suites.ts'
import { count, printWaits, summarise, tellRound } from '../bench/summary.ts'
import { planBench, printPlan } from '../bench/vault/plan.ts'
import { postgresPlace } from '../bench/vault/postgres-place.ts'
import { printVault } from '../bench/vault/print.ts'
import { printRetention } from '../bench/vault/print-retention.ts'
import { retentionBench } from '../bench/vault/retention.ts'
import { sqlitePlace } from '../bench/vault/sqlite-place.ts'
import { vaultBench } from '../bench/vault/vault.ts'
import type { VaultPlace } from '../bench/vault/vault-place.ts'
import type { Broker } from './brokers/start.ts'

/** What each name measures beside the scenarios of its suite. */
const names: Readonly<Record<string, Readonly<Record<string, () => Promise<object>>>>> = {
  embedded: { 'success-backlog-embedded': backlog },
  memory: { 'success-half-load-memory': latency },
  kafka: {},
  postgres: {},
  rabbitmq: {},
  redis: {},
  rocketmq: {},
  servicebus: {},
  sqs: {},
  replay: {},
  vault: { 'vault-letters': () => vault(sqlitePlace) },
  'vault-postgres': { 'vault-letters-on-postgres': () => vault(postgresPlace) },
  'vault-retention': { 'vault-retention-on-postgres': vaultRetention },
  several: {
    'several-collect': () => several('several-collect', 60_000),
    'several-on-small-machines': () => several('several-on-small-machines', 30_000, smallShare),
  },
  plan: { 'replay-plan': plan },
  dashboard: { 'dashboard-letters': dashboard },
  'seed-000': { 'seed-000': () => seed000(Number(values.runs)) },
  alert: { alert: () => alertBench(Number(values.runs)) },
  churn: {
    'churn-postgres': () => churn(Math.round(1_000_000 * Number(values.scale)), Number(values.minutes), Number(values.every)),
  },
}

const usage = `npm run bench -- <name>… [--json] [--rounds N] [--slices N] [--scale F] [--only SCENARIO] [--contenders A,B]

  names: ${Object.keys(names).join(', ')}
  --json     the last line is one JSON object: scenario → { redrive, bare, peers, cpuMicrosPerMessage }, messages per second
  --rounds   interleaved rounds of each scenario, at least 6 for an interval of 95 % (default 9)
  --slices   interleaved seconds of each contender where waits are measured (default 40)
  --scale    multiplies the number of messages (default 1)
  --only     only scenarios whose name starts with this
  --contenders   only contenders whose names start with these
  --runs     how often seed-000 and alert go from the rejection to the alert, on RabbitMQ (default 50)
  --minutes, --every   for how long churn goes on, and how often it looks at the tables of PostgreSQL (default 60 and 5)`

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
    minutes: { type: 'string', default: '60' },
    every: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
})

const unknown = positionals.filter((name) => !(name in names))
if (values.help || positionals.length === 0 || unknown.length > 0) {
  console.error(unknown.length > 0 ? `unknown: ${unknown.join(', ')}\n\n${usage}` : usage)
  process.exit(values.help ? 0 : 2)
}

/** Brokers that the contenders share. */
const starts: Readonly<Record<string, () => Promise<Broker>>> = {
  kafka: startKafka,
  postgres: startPostgres,
  rabbitmq: startRabbitmq,
  redis: startRedis,
  rocketmq: startRocketmq,
  servicebus: startServicebus,
  sqs: startElasticmq,
  replay: () => startRabbitmq(['rabbitmq_shovel']),
}
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
    const rounds = Number(values.rounds)
    const onRound = (round: Round, played: number): void => tellRound(scenario.name, round, played, rounds)
    report[scenario.name] = summarise(scenario.name, await playRounds(name, scenario, { messages, rounds, wanted, onRound }))
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

async function vaultRetention(): Promise<object> {
  const report = await retentionBench(Math.round(10_000_000 * Number(values.scale)))
  printRetention(report)
  return report
}

async function vault(open: () => Promise<VaultPlace>): Promise<object> {
  const place = await open()
  const report = await vaultBench(Math.round(1_000_000 * Number(values.scale)), place).finally(() => place.close())
  printVault(report)
  const { ours, like, rows } = report.ingest
  return {
    redrive: Math.round(ours),
    bare: Math.round(like),
    peers: { rows: Math.round(rows) },
    cpuMicrosPerMessage: {},
    ...report,
  }
}

async function several(name: string, letters: number, share?: number): Promise<object> {
  const report = await severalBench(Math.round(letters * Number(values.scale)), Number(values.rounds), share)
  printSeveral(name, report)
  return report
}

async function plan(): Promise<object> {
  const report = await planBench(Math.round(1_000_000 * Number(values.scale)))
  printPlan(report)
  return report
}

async function dashboard(): Promise<object> {
  const report = await dashboardBench(Math.round(1_000_000 * Number(values.scale)))
  printDashboard(report)
  const bare = Math.max(report.empty.before.nextPaint, report.empty.after.nextPaint)
  return { redrive: report.interactionToNextPaint, bare, peers: {}, cpuMicrosPerMessage: {}, ...report }
}
