import pg from 'pg'
import { startBroker } from '../../scripts/brokers/start.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { postgres } from '../../src/transports/postgres/postgres.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { orderMessage, orderType } from '../payload.ts'
import { batchSize } from '../redrive-contender.ts'
import { count } from '../summary.ts'
import { type Sight, type Sizes, sight } from './sight.ts'

export interface ChurnReport {
  readonly backlog: number
  readonly lines: readonly ChurnLine[]
}

export interface ChurnLine extends Sizes {
  readonly after: string
  /** Messages that were handled for good, and sent anew, since the line before. */
  readonly handled: number
  readonly perSecond: number
  /** Pages of tables and indexes that the server looked at for each of them: unlike the speed, it does not depend on who else uses the machine. */
  readonly pagesPerMessage: number
}

/** One in twenty fails once and waits; one in a hundred fails for good and becomes a letter, which somebody takes away. */
const failsOnce = 5
const failsForGood = 1

/** From 0 to 99, the same for the same message, and not the same for all of one key: those wait for each other. */
function luck(order: number): number {
  return (Math.imul(order, 2_654_435_761) >>> 16) % 100
}

const channels = [
  { name: 'plain', order: 'none', key: false },
  { name: 'keyed', order: 'lane', key: true },
] as const

/**
 * A backlog that never shrinks, half of it in lanes: for each message that is done with, another is sent. The tables and their indexes
 * must not grow meanwhile, and a message must not cost more; and when all of it has been emptied and filled again, they are as at first.
 * Autovacuum is as PostgreSQL ships it.
 */
export async function churn(backlog: number, minutes: number, everyMinutes: number): Promise<ChurnReport> {
  const broker = await startBroker('postgres')
  const client = new pg.Client({ connectionString: broker.url })
  await client.connect()
  const transport = postgres({ url: broker.url })
  const lines: ChurnLine[] = []
  let handled = 0
  let sent = 0
  let keep = true
  let last: { readonly at: number; readonly handled: number; readonly seen: Sight } | undefined

  async function look(after: string): Promise<void> {
    const seen = await sight(client)
    const since = last ?? { at: performance.now(), handled, seen }
    const [done, ms] = [handled - since.handled, performance.now() - since.at]
    const line: ChurnLine = {
      ...{ after, handled: done, perSecond: done === 0 ? 0 : Math.round((done / ms) * 1000) },
      pagesPerMessage: done === 0 ? 0 : Number(((seen.pages - since.seen.pages) / done).toFixed(1)),
      ...seen.sizes,
    }
    last = { at: performance.now(), handled, seen: await sight(client) }
    lines.push(line)
    printLine(line)
  }

  async function sendNext(channel: (typeof channels)[number]): Promise<void> {
    const { key, ...message } = orderMessage(sent++)
    await transport.send({ name: channel.name }, channel.key && key !== undefined ? { ...message, key } : message)
  }

  async function fill(): Promise<void> {
    for (let filled = 0; filled < backlog; filled += 2000)
      await Promise.all(
        Array.from({ length: Math.min(2000, backlog - filled) }, (_, index) => sendNext(channels[index % 2 ? 1 : 0])),
      )
  }

  const start = () =>
    consume(transport, async (channel) => {
      handled++
      if (keep) await sendNext(channel)
    })

  try {
    await provision(transport)
    printHead()
    await fill()
    await look('filled')
    const consumer = await start()
    for (let minute = everyMinutes; minute <= minutes; minute += everyMinutes) {
      await new Promise((resolve) => setTimeout(resolve, everyMinutes * 60_000))
      await look(`${minute} min`)
    }
    keep = false
    while ((await sight(client)).sizes.rows > 0) await new Promise((resolve) => setTimeout(resolve, 1000))
    await consumer.stop()
    await look('emptied')
    await fill()
    await look('filled again')
  } finally {
    await transport.close()
    await client.end()
    await broker.stop()
  }
  return { backlog, lines }
}

async function provision(transport: Transport): Promise<void> {
  const wanted = channels.flatMap(({ name, order }) => [
    { address: { name }, role: 'work', lanes: order === 'lane' } as const,
    { address: { name: `dlq.${name}` }, role: 'dead-letter' } as const,
  ])
  await transport.provision({ channels: wanted }, 'apply')
}

/** Tells `done` of each message that is done with. */
async function consume(transport: Transport, done: (channel: (typeof channels)[number]) => Promise<void>) {
  const consumer = createConsumer({ transport, service: 'bench', logger: false })
  for (const channel of channels) {
    const { name, order } = channel
    const half = { concurrency: batchSize / 2, prefetch: batchSize, breaker: false } as const
    const retry = { delayed: { retries: 1, backoff: { kind: 'fixed', first: '5s', max: '5s' } } } as const
    consumer
      .channel(name, { ...half, order, deadLetter: `dlq.${name}`, retry })
      .on(orderType, async ({ order: number }, { attempt, deadLetter }) => {
        if (luck(number) < failsForGood) return deadLetter('NeverWorks', 'one in a hundred fails for good')
        if (luck(number) < failsForGood + failsOnce && attempt === 1) throw new Error('one in twenty fails once')
        await done(channel)
      })
    consumer.channel(`dlq.${name}`, { ...half, order: 'none', deadLetter: 'none' }).on(orderType, () => done(channel))
  }
  await consumer.start()
  return consumer
}

const columns = [
  'handled',
  'messages/s',
  'pages/message',
  'rows',
  'dead rows',
  'queue MiB',
  'its indexes',
  'contents MiB',
  'its index',
]

function printHead(): void {
  console.log(`${''.padEnd(14)}${columns.map((name) => name.padStart(14)).join('')}`)
}

function printLine(line: ChurnLine): void {
  const { after, handled, perSecond, pagesPerMessage, rows, dead, queue, queueIndexes, contents, contentsIndex } = line
  const whole = [handled, perSecond].map((value) => count(value).padStart(14))
  const sizes = [rows, dead, queue, queueIndexes, contents, contentsIndex].map((value) => count(value).padStart(14))
  console.log(`${after.padEnd(14)}${whole.join('')}${pagesPerMessage.toFixed(1).padStart(14)}${sizes.join('')}`)
}
