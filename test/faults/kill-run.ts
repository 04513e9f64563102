import { join } from 'node:path'
import { type ConsumerOrder, type ConsumerProcess, startConsumer } from './consumer-process.ts'
import { readRecords } from './handler-log.ts'
import { judge, ordinaryTurns, type Verdict } from './ledger.ts'
import { faultChannels, faultMessage, kindOf, numberIn } from './messages.ts'
import { type Arena, orderOn } from './subjects.ts'
import type { Death } from './turns-used.ts'

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
  const planted = plant === undefined ? {} : { plant }
  const order: ConsumerOrder = { ...orderOn(arena), subject, log, prefetch, turns: ordinaryTurns, ...planted }
  const share = Math.ceil(run.messages / (run.kills.length + 1))
  const deaths: Death[] = []
  let sent = 0
  for (const kill of run.kills) {
    sent = await sendUpTo(arena, sent, Math.min(run.messages, sent + share), run.crashing)
    deaths.push(await deathOf(await killOne(order, kill), arena))
  }
  sent = await sendUpTo(arena, sent, run.messages, run.crashing)
  const crashes = await untilEmpty(arena, order)
  const verdict = await observe(arena, sent, log, [...deaths, ...crashes], run.crashing)
  return { verdict, kills: run.kills.length, crashes: crashes.length }
}

/** Nobody else may have begun to take, or its hand-outs would be told as those of the dead. */
async function deathOf({ life }: ConsumerProcess, { inHand }: Arena): Promise<Death> {
  return inHand ? { life, inHand: await inHand() } : { life }
}

async function sendUpTo(arena: Arena, from: number, to: number, crashing: number | undefined): Promise<number> {
  const numbers = Array.from({ length: to - from }, (_, index) => from + index)
  await arena.send(numbers.map((number) => faultMessage(number, number === crashing ? 'crash' : kindOf(number))))
  return to
}

async function killOne(order: ConsumerOrder, kill: Kill): Promise<ConsumerProcess> {
  if ('at' in kill) {
    const consumer = startConsumer({ ...order, barrier: kill.at, passes: kill.passes })
    await consumer.heard(kill.at)
    await consumer.kill()
    return consumer
  }
  const consumer = startConsumer(order)
  await consumer.heard('ready')
  // The moment of death is the fault that is injected here, and not a wait for anything.
  await new Promise((resolve) => setTimeout(resolve, kill.afterMs))
  await consumer.kill()
  return consumer
}

/** A run that does not come to an end has failed. Milliseconds. */
const patience = 600_000

/** Tells which consumers died by themselves. */
async function untilEmpty(arena: Arena, order: ConsumerOrder): Promise<readonly Death[]> {
  const crashes: Death[] = []
  let consumer: ConsumerProcess = startConsumer(order)
  const deadline = performance.now() + patience
  while ((await arena.left()) > 0) {
    if (performance.now() > deadline) throw new Error(`After ${patience} ms there are still ${await arena.left()} messages.`)
    if (!consumer.isAlive) {
      crashes.push(await deathOf(consumer, arena))
      consumer = startConsumer(order)
    }
    await Promise.race([consumer.ended, new Promise((resolve) => setTimeout(resolve, 25))])
  }
  await consumer.stop()
  return crashes
}

/** What a producer knows: whether the others of those that it tried exist is unknown. */
export interface Sent {
  readonly confirmed: readonly number[]
  readonly attempted: readonly number[]
}

function allOf(count: number): Sent {
  const numbers = Array.from({ length: count }, (_, number) => number)
  return { confirmed: numbers, attempted: numbers }
}

/** What the observers say once nobody consumes any more. A number of messages means that all of them were confirmed. */
export async function observe(
  arena: Arena,
  sent: number | Sent,
  log: string,
  deaths: readonly Death[],
  crashing: number | undefined,
): Promise<Verdict> {
  const { confirmed, attempted } = typeof sent === 'number' ? allOf(sent) : sent
  const found = async (channel: string) => (await arena.bodies(channel)).map(numberIn)
  const letters = await arena.letters?.(faultChannels.deadLetter)
  const reasons = letters && new Map(letters.map(({ body, reason }) => [numberIn(body) ?? -1, reason ?? 'none']))
  return judge({
    confirmed,
    attempted: new Set(attempted),
    handled: readRecords(log),
    work: await found(faultChannels.work),
    deadLetter: await found(faultChannels.deadLetter),
    invalid: await found(faultChannels.invalid),
    crashing: new Set(crashing === undefined ? [] : [crashing]),
    deaths,
    ...(reasons && { reasons }),
  })
}
