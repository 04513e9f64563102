import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConsumerProcess, startConsumer } from './consumer-process.ts'
import { describeFlow, standstills, watchFlow } from './flow.ts'
import { readRecords } from './handler-log.ts'
import { observe } from './kill-run.ts'
import { ordinaryTurns, type Verdict } from './ledger.ts'
import { faultMessage } from './messages.ts'
import type { Arena } from './subjects.ts'
import { untilNothing } from './until-nothing.ts'

/** The dead-letter channel refuses everything for so long by the clock, while messages come at a steady rate. */
export interface OutageRun {
  readonly subject: string
  readonly answer: 'hold' | 'spool'
  /** Milliseconds. */
  readonly outage: number
  /** The name of a planted bug in the consumer. */
  readonly plant?: string
}

export interface OutageResult {
  readonly verdict: Verdict
  readonly note: string
  readonly complaints: readonly string[]
}

const perSecond = 50
/** Before the outage, and after it. */
const margin = 5000
const patience = 120_000

export async function outageRun({ subject, answer, outage, plant }: OutageRun, arena: Arena): Promise<OutageResult> {
  const log = join(arena.folder, 'handled.log')
  const spool = join(arena.folder, 'spool')
  mkdirSync(spool)
  const { connection, hold } = arena
  const consumer = startConsumer({
    ...{ subject, connection, log, prefetch: 20, turns: ordinaryTurns, hold: Math.max(hold, 5000), maxHeld: 100_000 },
    ...(answer === 'spool' && { spool }),
    ...(plant !== undefined && { plant }),
  })
  try {
    await consumer.heard('ready')
    const sending = sendSteadily(arena, outage + 2 * margin)
    await sleep(margin)
    consumer.tell('refuse')
    const flow = await watchFlow(() => readRecords(log).filter(({ what }) => what === 'succeeded').length, outage)
    consumer.tell('accept')
    const sent = await sending
    const left = await untilNothing(async () => (await arena.left()) + filesWithLetters(spool), patience)
    await consumer.stop()
    const verdict = await observe(arena, sent, log, [], undefined)
    const unfinished = left > 0 ? [`${left} messages and letters still wait`] : []
    return { verdict, note: describeFlow(flow), complaints: [...standstills(flow), ...unfinished] }
  } finally {
    await endOf(consumer)
  }
}

/** Tells how many were sent. */
async function sendSteadily(arena: Arena, milliseconds: number): Promise<number> {
  const total = Math.floor((milliseconds / 1000) * perSecond)
  const startedAt = performance.now()
  for (let number = 0; number < total; number++) {
    await sleep(Math.max(0, startedAt + (number / perSecond) * 1000 - performance.now()))
    await arena.send([faultMessage(number)])
  }
  return total
}

function filesWithLetters(spool: string): number {
  return readdirSync(spool, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.letters')).length
}

async function endOf(consumer: ConsumerProcess): Promise<void> {
  if (consumer.isAlive) await consumer.kill()
}
