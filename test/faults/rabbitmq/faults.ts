import { isFlawless } from '../ledger.ts'
import { brokerRows } from './rows/broker-outages.ts'
import { graveOutageRows } from './rows/grave-outages.ts'
import { graveRows } from './rows/graves.ts'
import { hostileRows } from './rows/hostile-messages.ts'
import { killRows, randomKills, smokeKillRows } from './rows/kills.ts'
import { networkRows } from './rows/network.ts'
import { peerRows } from './rows/peers.ts'
import type { Row, RowResult } from './rows/row.ts'
import { twinRows } from './rows/twins.ts'
import { createWorld } from './world.ts'

export interface RabbitFaults {
  readonly messages: number
  /** At random moments, which the seed says. */
  readonly kills: number
  readonly seed: number
  readonly isSmoke: boolean
  /** How long the dead-letter queue is down in rows by the clock, in milliseconds; without any when it is 0. */
  readonly outage: number
  /** Only rows whose names hold this. */
  readonly only: string
}

export interface Tally {
  passed: number
  failed: number
  notRun: number
}

/** Rows that run at one time: most of them wait for heartbeats, back-offs and brokers that start. */
const lanes = 5
/** One message in ten becomes a letter; a row that kills at six points of that way needs more than six of them. */
const smallest = 200
const version = '4.0'

/** Plays every row, prints what the observers saw, and adds up. */
export async function rabbitFaults(faults: RabbitFaults): Promise<Tally> {
  const { messages, isSmoke, only } = faults
  const rows = rowsOf(faults).filter(({ name }) => name.includes(only))
  const world = await createWorld(version, isSmoke)
  const tally: Tally = { passed: 0, failed: 0, notRun: 0 }
  const results = new Map<Row, RowResult | Error>()
  const weights = rows.reduce((sum, { weight, kind }) => sum + (kind === 'twin' ? 0 : weight), 0)
  console.log(`rabbitmq ${world.calm.version}\n`)
  console.log(line('fault', ...columns))

  async function next(waiting: Row[]): Promise<void> {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const share = row.kind === 'twin' ? smallest : Math.max(smallest, Math.ceil((messages * row.weight) / weights))
      const result = await row.run(world, share).catch((error: Error) => error)
      results.set(row, result)
      if (row.kind === 'safe') show(row, result, tally)
    }
  }

  // Whoever interrupts a long run still sees what came out of it.
  process.once('exit', showTheRest)
  try {
    const waiting = rows.toSorted((one, other) => other.weight - one.weight)
    await Promise.all(Array.from({ length: lanes }, () => next(waiting)))
  } finally {
    await world.close()
  }
  process.removeListener('exit', showTheRest)
  showTheRest()
  return tally

  function showTheRest(): void {
    section('planted bugs, which the observers must see lose', 'twin')
    section('what peers lose in the same faults', 'peer')
    section('settings with which the broker loses by itself', 'broker')
  }

  function section(title: string, kind: Row['kind']): void {
    const found = rows.filter((row) => row.kind === kind && results.has(row))
    if (found.length > 0) console.log(`\n${title}`)
    for (const row of found) show(row, results.get(row) as RowResult | Error, tally)
  }
}

function rowsOf({ isSmoke, kills, seed, outage }: RabbitFaults): readonly Row[] {
  const killed = [...(isSmoke ? smokeKillRows : killRows), randomKills(kills, seed)]
  const byTheClock = graveOutageRows(outage)
  const all = [
    ...killed,
    ...byTheClock,
    ...brokerRows,
    ...networkRows,
    ...graveRows,
    ...hostileRows,
    ...twinRows,
    ...peerRows(seed),
  ]
  return isSmoke ? all.filter(({ longOnly }) => !longOnly) : all
}

function show({ name, kind, isCaught = hasLost }: Row, result: RowResult | Error, tally: Tally): void {
  const isShownOnly = kind === 'broker' || kind === 'peer'
  if (result instanceof Error) {
    if (!isShownOnly) tally.failed++
    console.log(`${line(name, ...columns.map(() => '-'))}  ${isShownOnly ? '' : 'FAILED'}\n  ${result.message}`)
    return
  }
  if ('notRun' in result) {
    tally.notRun++
    console.log(`NOT RUN  ${name}: ${result.notRun}`)
    return
  }
  const { verdict, complaints, note } = result
  const { sent, lost, duplicated, wronglyDead, rightlyPoison } = verdict
  const isGood = kind === 'twin' ? isCaught(result) : isFlawless(verdict) && complaints.length === 0
  if (!isShownOnly) tally[isGood ? 'passed' : 'failed']++
  const cells = [sent, lost.length, duplicated, wronglyDead.length, rightlyPoison.length, 'no claim']
  const hasFailed = !isGood && !isShownOnly
  console.log([line(name, ...cells), note && `(${note})`, hasFailed && 'FAILED'].filter(Boolean).join('  '))
  if (hasFailed) console.log(`  ${[...complaints, JSON.stringify(verdict)].join('\n  ')}`)
}

function hasLost(result: RowResult): boolean {
  return 'verdict' in result && result.verdict.lost.length > 0
}

const columns = ['  sent', ' lost', 'duplicated', 'dead-lettered wrongly', 'rightly poison', '   order']

function line(name: string, ...cells: readonly (string | number)[]): string {
  const padded = cells.map((cell, index) => String(cell).padStart(columns[index]?.length ?? 0))
  return [name.padEnd(64), ...padded].join('  ')
}
