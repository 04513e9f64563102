import type { ChainableCommander } from 'ioredis'
import { handleAll, nextTurn, type Outcome } from '../by-hand.ts'
import { channels, fails, inHand, type Library, type Task } from '../library.ts'
import type { Order } from '../payload.ts'
import { fillStreams, lettersIn, openClient } from './streams.ts'

type Entry = readonly [id: Buffer, fields: readonly Buffer[]]
type Read = readonly (readonly [stream: Buffer, entries: readonly Entry[]])[] | null

/**
 * What a careful engineer writes on the same library: read a batch, parse, handle, and acknowledge and delete it in one transaction, with
 * its letters; the next batch is read meanwhile. It knows nothing of crashes, delays and turns.
 */
export const library: Library = {
  fill: fillStreams,
  letters: lettersIn,
  async consume(task, progress) {
    const [reader, writer] = [openClient(task.url), openClient(task.url)]
    const stream = task.prefix + channels.work
    let isClosed = false
    let settling: Promise<unknown> = Promise.resolve()

    async function read(): Promise<void> {
      while (!isClosed) {
        const call = ['GROUP', 'redrive', 'bare', 'COUNT', inHand, 'BLOCK', 1000, 'STREAMS', stream, '>']
        const [[, entries] = [null, []]] = ((await reader.callBuffer('XREADGROUP', call)) as Read) ?? []
        const outcomes = await handleAll(entries, { orderIn, fails: fails(task) }, progress)
        if (entries.length > 0) settling = Promise.all([settling, settle(writer.multi(), entries, outcomes, task)])
      }
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
    const reason = outcomes[index]?.message
    if (reason !== undefined)
      transaction.xadd(task.prefix + channels.deadLetters, '*', ...fields, 'failure-reason', reason, 'origin', id)
  }
  transaction.xack(task.prefix + channels.work, 'redrive', ...ids)
  transaction.xdel(task.prefix + channels.work, ...ids)
  await transaction.exec()
}

function orderIn([, fields]: Entry): Order {
  const at = fields.findIndex((field, index) => index % 2 === 0 && field.toString() === 'body')
  return JSON.parse(String(fields[at + 1]))
}
