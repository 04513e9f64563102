import type { BrokerName } from '../../../scripts/brokers/recipe.ts'
import type { Row, RowResult } from './row.ts'
import { createReport, type Tally } from './row-report.ts'
import { createWorld } from './world.ts'

/** What is asked of a run over all faults of one server. */
export interface Faults {
  readonly messages: number
  /** At random moments, which the seed says. */
  readonly kills: number
  readonly seed: number
  readonly isSmoke: boolean
  /** How long the dead-letter channel is down in rows by the clock, in milliseconds; without any when it is 0. */
  readonly outage: number
  /** Only rows whose names hold this. */
  readonly only: string
}

export interface RowsOfServer {
  readonly server: BrokerName
  readonly version?: string
  readonly rows: readonly Row[]
  /** Rows that run at one time: most of them wait for leases, heartbeats, back-offs and brokers that start. */
  readonly lanes: number
  /** Where nothing says in which order consumers run messages, none is judged. */
  readonly claimsOrder: boolean
}

/** One message in ten becomes a letter; a row that kills at six points of that way needs more than six of them. */
const smallest = 200

/** Plays every row, prints what the observers saw, and adds up. Rejects with `MissingBroker` where the server cannot be had. */
export async function playRows(played: RowsOfServer, { messages, isSmoke, only }: Faults): Promise<Tally> {
  const { server, version, lanes, claimsOrder } = played
  const rows = played.rows.filter(({ name, longOnly }) => name.includes(only) && !(isSmoke && longOnly))
  const world = await createWorld(server, { isSmoke, ...(version !== undefined && { version }) })
  const report = createReport(claimsOrder)
  const results = new Map<Row, RowResult | Error>()
  const weights = rows.reduce((sum, row) => sum + (row.kind === 'twin' ? 0 : weightOf(row)), 0)
  console.log(`${server} ${world.calm.version}\n`)
  report.head()

  async function next(waiting: Row[]): Promise<void> {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const share = row.kind === 'twin' ? smallest : Math.max(smallest, Math.ceil((messages * weightOf(row)) / weights))
      const result = await row.run(world, share).catch((error: Error) => error)
      results.set(row, result)
      if (row.kind === 'safe') report.show(row, result)
    }
  }

  // Whoever interrupts a long run still sees what came out of it.
  process.once('exit', showTheRest)
  try {
    const waiting = rows.toSorted((one, other) => weightOf(other) - weightOf(one))
    await Promise.all(Array.from({ length: lanes }, () => next(waiting)))
  } finally {
    await world.close()
  }
  process.removeListener('exit', showTheRest)
  showTheRest()
  return report.tally

  function showTheRest(): void {
    section('planted bugs, which the observers must see lose', 'twin')
    section('what peers lose in the same faults', 'peer')
    section('settings with which the broker loses by itself', 'broker')
  }

  function section(title: string, kind: Row['kind']): void {
    const found = rows.filter((row) => row.kind === kind && results.has(row))
    if (found.length > 0) console.log(`\n${title}`)
    for (const row of found) report.show(row, results.get(row) as RowResult | Error)
  }
}

function weightOf({ weight = 1 }: Row): number {
  return weight
}
