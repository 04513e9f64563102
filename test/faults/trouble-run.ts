import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConsumerOrder, type ConsumerProcess, startConsumer } from './consumer-process.ts'
import { readRecords } from './handler-log.ts'
import type { Judged } from './harness/row.ts'
import { observe, type Sent } from './kill-run.ts'
import { ordinaryTurns } from './ledger.ts'
import { faultMessage, kindOf } from './messages.ts'
import { type Arena, orderOn } from './subjects.ts'
import { untilNothing } from './until-nothing.ts'

/** Consumers that live on while something around them breaks and is repaired. */
export interface TroubleRun {
  readonly subject: string
  readonly messages: number
  /** What consumers are told besides: a connection through a proxy, a planted bug. */
  readonly order?: Partial<ConsumerOrder>
  /** How far the clock of each consumer is ahead, in milliseconds; not at all unless told. */
  readonly clocks?: readonly number[]
  /** Half of the messages are sent and confirmed; resolves when everything is repaired. */
  trouble(scene: Scene): Promise<void>
  /** How long nothing may happen, once all is repaired, before the run is taken for ended, whatever is missing. Milliseconds. */
  readonly patience?: number
}

export interface Scene {
  readonly arena: Arena
  readonly consumers: readonly ConsumerProcess[]
  /** Sends the other half; done at the end where nobody asked for it. */
  sendRest(): Promise<void>
  /** Resolves when every healthy message that was confirmed has succeeded; rejects when that does not come about. */
  healthyAreDone(): Promise<void>
  /** Resolves when nothing that was sent is left to be processed, and so every letter is written; rejects when that does not come about. */
  allIsCalm(): Promise<void>
  /** Everybody has said so since they began to live. */
  allHeard(word: string): Promise<void>
}

const ordinaryPatience = 120_000
const size = 2

export async function troubleRun(run: TroubleRun, arena: Arena): Promise<Judged> {
  const { subject, messages, order, clocks = [], trouble, patience = ordinaryPatience } = run
  const log = join(arena.folder, 'handled.log')
  const told = { ...orderOn(arena), subject, log, prefetch: 50, turns: ordinaryTurns, maxHeld: 100_000, ...order }
  const consumers = Array.from({ length: size }, (_, index) => startConsumer({ ...told, clockAhead: clocks[index] ?? 0 }))
  const sent: { confirmed: number[]; attempted: number[] } = { confirmed: [], attempted: [] }
  const half = Math.floor(messages / 2)
  let rest: Promise<void> | undefined
  const sendRest = (): Promise<void> => (rest ??= sendAll(arena, half, messages, sent))
  const healthyLeft = (): number => leftOf(sent, log)
  try {
    await Promise.all(consumers.map((consumer) => consumer.heard('ready')))
    await sendAll(arena, 0, half, sent)
    await trouble({
      arena,
      consumers,
      sendRest,
      async healthyAreDone() {
        // A planted bug has nothing to do with these: whoever has little patience with it has all of it here.
        const left = await untilNothing(async () => healthyLeft(), ordinaryPatience)
        if (left > 0) throw new Error(`${left} healthy messages do not flow.`)
      },
      async allIsCalm() {
        const left = await untilNothing(arena.left, ordinaryPatience)
        if (left > 0) throw new Error(`${left} messages were not finished before the fault.`)
      },
      async allHeard(word) {
        await Promise.all(consumers.map((consumer) => consumer.heard(word)))
      },
    })
    await sendRest()
    const left = await untilNothing(arena.left, patience)
    const died = consumers.filter(({ isAlive }) => !isAlive).length
    await Promise.all(consumers.map((consumer) => consumer.stop()))
    const verdict = await observe(arena, sent, log, [], undefined)
    const complaints = [...(left > 0 ? [`${left} messages still wait`] : []), ...(died > 0 ? [`${died} consumers died`] : [])]
    return { verdict, complaints }
  } finally {
    await Promise.all(consumers.map((consumer) => consumer.kill()))
  }
}

function leftOf({ confirmed }: Sent, log: string): number {
  const records = readRecords(log).filter(({ what }) => what === 'succeeded')
  const succeeded = new Set(records.map(({ number }) => number))
  return confirmed.filter((number) => ['good', 'flaky'].includes(kindOf(number)) && !succeeded.has(number)).length
}

const window = 20

/** One that was refused for certain is sent again; of one whose answer was lost, nobody knows, and it is not. */
async function sendAll(
  arena: Arena,
  from: number,
  to: number,
  sent: { confirmed: number[]; attempted: number[] },
): Promise<void> {
  for (let start = from; start < to; start += window) {
    const numbers = Array.from({ length: Math.min(window, to - start) }, (_, index) => start + index)
    // One after the other: messages of one key are judged by the order in which they were confirmed.
    for (const number of numbers) await sendOne(arena, number, sent)
  }
}

async function sendOne(arena: Arena, number: number, sent: { confirmed: number[]; attempted: number[] }): Promise<void> {
  sent.attempted.push(number)
  for (;;) {
    try {
      await arena.send([faultMessage(number)])
      sent.confirmed.push(number)
      return
    } catch (error) {
      if ((error as { readonly code?: string }).code === 'unsure') return
      await sleep(50)
    }
  }
}
