import { join } from 'node:path'
import { type ConsumerOrder, type ConsumerProcess, startConsumer } from './consumer-process.ts'
import { readRecords } from './handler-log.ts'
import { judge, type Verdict } from './ledger.ts'
import { faultChannels, faultMessage, kindOf, numberIn } from './messages.ts'
import type { Arena } from './subjects.ts'

/** When a consumer is killed: at a point of its plan, or so many milliseconds after it was ready. */
export type Kill = { readonly at: string; readonly passes: number } | { readonly afterMs: number }

export interface KillRun {
  readonly subject: string
  readonly messages: number
  readonly kills: readonly Kill[]
  readonly prefetch: number
  /** The number of a message that kills every process which handles it. */
  readonly crashing?: number
  /** The name of a planted bug in the consumers. */
  readonly plant?: string
}

export interface KillResult {
  readonly verdict: Verdict
  /** Kills of ours, and deaths by the crashing message. */
  readonly kills: number
  readonly crashes: number
}

/**
 * Sends a share of the messages before each kill, so that something is always in flight; then lets consumers run until nothing is left,
 * a new one for each that died, and asks the observers.
 */
export async function killRun(run: KillRun, arena: Arena): Promise<KillResult> {
  const log = join(arena.folder, 'handled.log')
  const { subject, prefetch, plant } = run
  const { connection, hold } = arena
  // Three, unless so many kills from outside could use them up alone. Then nothing can be called poison, rightly or wrongly: that row
  // shows losses and order, and not that turns are counted well.
  const turns = Math.max(3, run.kills.length + 1)
  const order: ConsumerOrder = { subject, connection, log, prefetch, turns, hold, ...(plant !== undefined && { plant }) }
  const share = Math.ceil(run.messages / (run.kills.length + 1))
  let sent = 0
  for (const kill of run.kills) {
    sent = await sendUpTo(arena, sent, Math.min(run.messages, sent + share), run.crashing)
    await killOne(order, kill)
  }
  sent = await sendUpTo(arena, sent, run.messages, run.crashing)
  const crashes = await untilEmpty(arena, order)
  return { verdict: await observe(arena, sent, log, run.crashing), kills: run.kills.length, crashes }
}

async function sendUpTo(arena: Arena, from: number, to: number, crashing: number | undefined): Promise<number> {
  const numbers = Array.from({ length: to - from }, (_, index) => from + index)
  await arena.send(numbers.map((number) => faultMessage(number, number === crashing ? 'crash' : kindOf(number))))
  return to
}

async function killOne(order: ConsumerOrder, kill: Kill): Promise<void> {
  if ('at' in kill) {
    const consumer = startConsumer({ ...order, barrier: kill.at, passes: kill.passes })
    await consumer.heard(kill.at)
    return consumer.kill()
  }
  const consumer = startConsumer(order)
  await consumer.heard('ready')
  // The moment of death is the fault that is injected here, and not a wait for anything.
  await new Promise((resolve) => setTimeout(resolve, kill.afterMs))
  return consumer.kill()
}

/** A run that does not come to an end has failed. Milliseconds. */
const patience = 600_000

/** Tells how many consumers died by themselves. */
async function untilEmpty(arena: Arena, order: ConsumerOrder): Promise<number> {
  let crashes = 0
  let consumer: ConsumerProcess = startConsumer(order)
  const deadline = performance.now() + patience
  while ((await arena.left()) > 0) {
    if (performance.now() > deadline) throw new Error(`After ${patience} ms there are still ${await arena.left()} messages.`)
    if (!consumer.isAlive) {
      crashes++
      consumer = startConsumer(order)
    }
    await Promise.race([consumer.ended, new Promise((resolve) => setTimeout(resolve, 25))])
  }
  await consumer.stop()
  return crashes
}

async function observe(arena: Arena, sent: number, log: string, crashing: number | undefined): Promise<Verdict> {
  const numbers = Array.from({ length: sent }, (_, number) => number)
  const found = async (channel: string) => (await arena.bodies(channel)).map(numberIn)
  return judge({
    confirmed: numbers,
    attempted: new Set(numbers),
    handled: readRecords(log),
    work: await found(faultChannels.work),
    deadLetter: await found(faultChannels.deadLetter),
    invalid: await found(faultChannels.invalid),
    crashing: new Set(crashing === undefined ? [] : [crashing]),
  })
}
