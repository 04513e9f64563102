import type { ChainableCommander } from 'ioredis'
import { handleAll, nextTurn, type Outcome } from '../by-hand.ts'
import { letterByHand } from '../letter-by-hand.ts'
import { channels, fails, inHand, type Library, type Task } from '../library.ts'
import type { Order } from '../payload.ts'
import { fillStreams, lettersIn, openClient } from './streams.ts'

type Entry = readonly [id: Buffer, fields: readonly Buffer[]]
type Claimed = readonly [next: Buffer, entries: readonly Entry[]]
type Read = readonly (readonly [stream: Buffer, entries: readonly Entry[]])[] | null

/** What has been pending for so long is taken from whoever has it: longer than any handler runs. Milliseconds. */
const abandonedAfter = 30_000
/** How often it is looked for that. Milliseconds. */
const lookEvery = 1000

/**
 * What a careful engineer writes on the same library: read a batch, parse, handle, and acknowledge and delete it in one transaction, with
 * its letters; the next batch is read meanwhile, and what a consumer that died has left behind is claimed every now and then. It knows
 * nothing of delays and turns, and a handler that runs for longer than it was thought to shares its message with another.
 */
export const library: Library = {
  fill: fillStreams,
  letters: lettersIn,
  async consume(task, progress) {
    const [reader, writer] = [openClient(task.url), openClient(task.url)]
    const stream = task.prefix + channels.work
    const consumer = `bare-${process.pid}`
    let isClosed = false
    let settling: Promise<unknown> = Promise.resolve()

    async function read(): Promise<void> {
      let looked = 0
      while (!isClosed) {
        if (Date.now() - looked > lookEvery) {
          looked = Date.now()
          await handle(await abandoned())
        }
        const call = ['GROUP', 'redrive', consumer, 'COUNT', inHand, 'BLOCK', 1000, 'STREAMS', stream, '>']
        const [[, entries] = [null, []]] = ((await reader.callBuffer('XREADGROUP', call)) as Read) ?? []
        await handle(entries)
      }
    }

    async function abandoned(): Promise<readonly Entry[]> {
      const call = [stream, 'redrive', consumer, abandonedAfter, '0', 'COUNT', inHand]
      return ((await reader.callBuffer('XAUTOCLAIM', call)) as Claimed)[1]
    }

    async function handle(entries: readonly Entry[]): Promise<void> {
      if (entries.length === 0) return
      const outcomes = await handleAll(entries, { orderIn, fails: fails(task) }, progress)
      settling = Promise.all([settling, settle(writer.multi(), entries, outcomes, task)])
    }

    const reading = read().catch(() => {})
    return {
      async settled() {
        await nextTurn()
        await settling
      },
      async close() {
        isClosed = true
        reader.disconnect()
        writer.disconnect()
        await reading
      },
    }
  },
}

async function settle(
  transaction: ChainableCommander,
  entries: readonly Entry[],
  outcomes: readonly Outcome[],
  task: Task,
): Promise<void> {
  const ids = entries.map(([id]) => id)
  for (const [index, [id, fields]] of entries.entries()) {
    const error = outcomes[index]
    if (error) transaction.xadd(task.prefix + channels.deadLetters, '*', ...fields, 'failure', failureOf(id, error))
  }
  transaction.xack(task.prefix + channels.work, 'redrive', ...ids)
  transaction.xdel(task.prefix + channels.work, ...ids)
  await transaction.exec()
}

/** As one field, which costs less than one for each fact. */
function failureOf(id: Buffer, error: Error): string {
  const position = id.toString()
  return JSON.stringify(letterByHand(error, { id: position, channel: channels.work, position, attempts: 1, deliveries: 1 }))
}

function orderIn([, fields]: Entry): Order {
  const at = fields.findIndex((field, index) => index % 2 === 0 && field.toString() === 'body')
  return JSON.parse(String(fields[at + 1]))
}
