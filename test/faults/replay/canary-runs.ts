import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createControlPlane, type RunningControlPlane } from '../../../src/ops/create-control-plane.ts'
import { newUuid } from '../../../src/platform/chance.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createConsumer, createProducer, defineMessage } from '../../../src/redrive.ts'
import { embedded } from '../../../src/transports/embedded/embedded.ts'
import { sqliteVault } from '../../../src/vault/sqlite/sqlite-vault.ts'

export interface CanaryVerdict {
  readonly runs: number
  /** The most that a run sent beyond the first step of its canary, while the handler still failed; 0 or less is good. */
  readonly mostBeyond: number
  /** How many were sent when the handler worked, of how many. */
  readonly sentWhenMended: number
  readonly letters: number
}

export interface CanaryRuns {
  readonly runs: number
  /** A planted bug: everything goes at once. */
  readonly withoutCanary?: true
}

const Order = defineMessage<number>('order')
const letters = 20
const by = { actor: 'ana' }
/** A letter of a failing handler is back long before this, on the slowest machine: only what came back may decide. */
const farAway = 600_000

/** The same letters are replayed again and again, on a real queue and a real vault, to a handler that still fails; then to one that works. */
export async function canaryRuns({ runs, withoutCanary }: CanaryRuns): Promise<CanaryVerdict> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-canary-'))
  const transport = embedded({ file: join(folder, 'queue.db') })
  const vault = sqliteVault({ file: join(folder, 'vault.db') })
  let [handled, works] = [0, false]
  const consumer = createConsumer({ transport, service: 'orders', logger: false })
  consumer.channel('orders', { deadLetter: 'dlq.orders', breaker: false }).on(
    Order,
    async () => {
      handled++
      if (!works) throw new Error('card declined')
    },
    { retry: { immediate: 0, delayed: { retries: 0 } } },
  )
  const source = { connection: 'shop', transport, address: { name: 'dlq.orders' }, mode: 'collect' } as const
  const parts = { vault, clock: systemClock, newId: newUuid, draw: randomBytes, sources: [source] }
  const plane = createControlPlane({ ...parts, transportNamed: () => transport })
  try {
    await consumer.start()
    await plane.start()
    const producer = createProducer({ transport })
    for (let order = 0; order < letters; order++) await producer.send(Order, order, { channel: 'orders' })
    let mostBeyond = Number.NEGATIVE_INFINITY
    for (let run = 0; run < runs; run++) {
      await until(plane, async () => (await open(plane)) === letters)
      handled = 0
      const first = 1 + (run % 5)
      const canary = withoutCanary ? undefined : { first, growth: 5, tolerated: 0 }
      await replay(plane, canary, farAway)
      mostBeyond = Math.max(mostBeyond, handled - first)
    }
    await until(plane, async () => (await open(plane)) === letters)
    ;[handled, works] = [0, true]
    await replay(plane, { first: 1, growth: 5, tolerated: 0 }, 200)
    return { runs, mostBeyond, sentWhenMended: handled, letters }
  } finally {
    await plane.close()
    await consumer.stop()
    await transport.close()
    await vault.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Canary = { readonly first: number; readonly growth: number; readonly tolerated: number } | undefined

/** Until it has stopped by itself or is done, or, without a canary, everything is back. */
async function replay(plane: RunningControlPlane, canary: Canary, observe: number): Promise<void> {
  const wishes = { ...by, name: 'again', rate: 10_000, canary, observe }
  const { replay: sealed } = await plane.replays.seal({ filter: 'state:open' }, wishes)
  await plane.replays.start(sealed.id, by)
  const state = async () => (await plane.replays.show(sealed.id)).replay.state
  await until(plane, async () => (await state()) !== 'running')
  if ((await state()) === 'stopped') await plane.replays.cancel(sealed.id, by)
}

async function open(plane: RunningControlPlane): Promise<number> {
  return (await plane.letters.find({ filter: 'state:open', limit: 1000 })).letters.length
}

/** Looks whenever something has changed. */
async function until(plane: RunningControlPlane, condition: () => Promise<boolean>): Promise<void> {
  const done = Promise.withResolvers<void>()
  const look = (): void => void condition().then((holds) => holds && done.resolve(), done.reject)
  const stop = plane.onChange(look)
  look()
  await done.promise
  stop()
}
