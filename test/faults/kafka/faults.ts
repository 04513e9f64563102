import { startBroker } from '../../../scripts/brokers/start.ts'
import { MissingToxiproxy, startToxiproxy, type Toxiproxy } from '../../../scripts/brokers/toxiproxy.ts'
import { portOf } from '../../brokers/kafka.ts'
import { isFlawless } from '../ledger.ts'
import type { Tally } from '../rabbitmq/faults.ts'
import type { PlayResult } from './play.ts'
import { type Row, rows, type World } from './rows.ts'

export interface KafkaFaults {
  readonly messages: number
  /** How often consumers are killed, and members come and go. */
  readonly times: number
  readonly seed: number
  readonly isSmoke: boolean
  /** Only rows whose names hold this. */
  readonly only: string
}

/** Rows that run at one time: most of them wait for sessions, back-offs and brokers that start. */
const lanes = 4
/** One message in ten becomes a letter; a row that kills at six points of that way needs more than six of them. */
const smallest = 200

/** Plays every row, prints what the observers saw, and adds up. Rejects with `MissingBroker` where Kafka cannot be had. */
export async function kafkaFaults({ messages, times, seed, only, isSmoke }: KafkaFaults): Promise<Tally> {
  const chosen = rows.filter(({ name, longOnly }) => name.includes(only) && !(isSmoke && longOnly))
  const calm = await startBroker('kafka')
  let toxiproxy: Promise<Toxiproxy | { readonly notRun: string }> | undefined
  const faultyWay: World['faultyWay'] = async () => {
    toxiproxy ??= startToxiproxy().catch((error) => {
      if (error instanceof MissingToxiproxy) return { notRun: error.message }
      throw error
    })
    const proxy = await toxiproxy
    return 'notRun' in proxy ? proxy : proxy.before(portOf(calm))
  }
  const world: World = { calm, disturbed: () => startBroker('kafka'), faultyWay, times, seed }
  const tally: Tally = { passed: 0, failed: 0, notRun: 0 }
  const weights = chosen.reduce((sum, { weight }) => sum + weight, 0)
  console.log(`kafka ${calm.version}\n`)
  console.log(line('fault', ...columns))

  async function next(waiting: Row[]): Promise<void> {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const share = Math.max(smallest, Math.ceil((messages * row.weight) / Math.max(1, weights)))
      show(row, await row.run(world, share).catch((error: Error) => error), tally)
    }
  }

  try {
    const waiting = chosen.toSorted((one, other) => other.weight - one.weight)
    await Promise.all(Array.from({ length: lanes }, () => next(waiting)))
  } finally {
    const proxy = await toxiproxy
    if (proxy && !('notRun' in proxy)) await proxy.stop()
    await calm.stop()
  }
  return tally
}

function show({ name, kind }: Row, result: PlayResult | { readonly notRun: string } | Error, tally: Tally): void {
  const shown = kind === 'twin' ? `${name} (must lose)` : name
  if (result instanceof Error) {
    tally.failed++
    console.log(`${line(shown, ...columns.map(() => '-'))}  FAILED\n  ${result.message}`)
    return
  }
  if ('notRun' in result) {
    tally.notRun++
    console.log(`NOT RUN  ${name}: ${result.notRun}`)
    return
  }
  const { verdict, complaints } = result
  const { sent, lost, duplicated, wronglyDead, rightlyPoison, disordered } = verdict
  const isGood = kind === 'twin' ? lost.length > 0 : isFlawless(verdict) && complaints.length === 0
  tally[isGood ? 'passed' : 'failed']++
  const order = disordered.length === 0 ? 'kept' : `${disordered.length} wrong`
  console.log(line(shown, sent, lost.length, duplicated, wronglyDead.length, rightlyPoison.length, order, isGood ? '' : 'FAILED'))
  if (!isGood) console.log(`  ${[...complaints, JSON.stringify(verdict)].join('\n  ')}`)
}

const columns = ['  sent', ' lost', 'duplicated', 'dead-lettered wrongly', 'rightly poison', '  order']

function line(name: string, ...cells: readonly (string | number)[]): string {
  const padded = cells.map((cell, index) => String(cell).padStart(columns[index]?.length ?? 0))
  return [name.padEnd(68), ...padded].join('  ').trimEnd()
}
