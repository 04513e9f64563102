import { randomBytes } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { ControlPlane, ReplayWishes } from '../../src/ops/control-plane.ts'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { createProducer } from '../../src/runtime/producer.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { until } from '../until.ts'
import { openVault } from './letters.fixture.ts'

const Order = defineMessage('order.placed', z.object({ order: z.number(), card: z.string() }))
const orders = 10
const by = { actor: 'ana' }

export interface Stage {
  /** For the consumer and the producer. */
  readonly theirs: Transport
  /** For the control plane. */
  readonly ours: Transport
  readonly channel: string
}

/** Seed 000's recovery, as an operator does it: what failed, why, what became of it; mend it, send it back, and see it succeed. */
export async function recoverOrders({ theirs, ours, channel }: Stage): Promise<void> {
  const seen: number[] = []
  const allSeen = Promise.withResolvers<void>()
  const consumer = createConsumer({ transport: theirs, service: 'orders', version: '1.4.0', logger: false })
  consumer.channel(channel, { deadLetter: `dlq.${channel}` }).on(
    Order,
    async ({ order, card }) => {
      if (card === '') throw new Error(`no card for order ${order}`)
      seen.push(order)
      if (seen.length === orders) allSeen.resolve()
    },
    { retry: { immediate: 0, delayed: { retries: 0 } } },
  )
  await consumer.start()
  const producer = createProducer({ transport: theirs })
  for (let order = 0; order < orders; order++) {
    await producer.send(Order, { order, card: '' }, { channel, correlationId: `order-${order}` })
  }

  const vault = openVault()
  const plane = createControlPlane({
    vault,
    clock: systemClock,
    newId: newUuid,
    draw: randomBytes,
    sources: [{ connection: 'shop', transport: ours, address: { name: `dlq.${channel}` }, mode: 'collect' }],
    transportNamed: (name) => (name === 'shop' ? ours : undefined),
  })
  onTestFinished(async () => {
    await plane.close()
    await consumer.stop()
  })
  await collected(plane)

  // What is broken?
  const { causes } = await plane.causes.list({ limit: 10 })
  expect(causes).toMatchObject([{ title: 'Error: no card for order <number>', total: orders, unresolved: orders, state: 'open' }])

  // Where did this one come from, by its correlation id?
  const [trace] = await plane.trace('order-7')
  expect(trace).toMatchObject({
    kind: 'failed',
    letter: { channel, correlationId: 'order-7', service: 'orders', version: '1.4.0' },
  })

  // Mend what can be mended, and look at the plan.
  const found = await plane.letters.find({ filter: `state:open channel:${channel} "no card" service:orders`, limit: 100 })
  expect(found.letters).toHaveLength(orders)
  const edits = new Map<number, number>()
  for (const { id } of found.letters) edits.set(id, await withCard(plane, id))
  const wishes: ReplayWishes = { ...by, name: 'with a card', rate: 1000, canary, observe: 200, edits }
  const preview = await plane.replays.preview({ filter: 'state:open' }, wishes)
  expect(preview).toMatchObject({
    refusals: [],
    destinations: [{ destination: { connection: 'shop', channel }, letters: orders }],
  })

  // Send it back, and see it processed.
  const { replay } = await plane.replays.seal({ filter: 'state:open' }, wishes)
  await plane.replays.start(replay.id, by)
  await changed(plane, async () => (await plane.replays.show(replay.id)).replay.state === 'done')
  expect((await plane.replays.show(replay.id)).counts).toMatchObject({ assumed: orders, returned: 0, unknown: 0 })
  // A replay that hears nothing of its consumer only assumes: on a busy machine it may do so before the last one is handled.
  await allSeen.promise
  expect(seen.toSorted((one, other) => one - other)).toEqual(Array.from({ length: orders }, (_, order) => order))
  expect((await plane.causes.list({ limit: 10 })).causes).toMatchObject([{ total: orders, unresolved: 0 }])
  // Where the management API is asked, its counts are some seconds late, and the larger one is shown.
  await until('the source is empty', async () => (await plane.sources()).every(({ unresolved }) => unresolved === 0))
  expect(await plane.sources()).toMatchObject([{ unresolved: 0, onBroker: { letters: 0 } }])
}

const canary = { first: 1, growth: 5, tolerated: 0 }

async function collected(plane: ReturnType<typeof createControlPlane>): Promise<void> {
  const kept = Promise.withResolvers<void>()
  let letters = 0
  const stop = plane.onChange((change) => {
    if (change.kind === 'problem') kept.reject(new Error(`${change.source}: ${change.code}`))
    if (change.kind === 'letters') letters += change.letters
    if (letters === orders) kept.resolve()
  })
  await plane.start()
  await kept.promise
  stop()
}

async function withCard(plane: ControlPlane, id: number): Promise<number> {
  const { body } = await plane.letters.content(id)
  const order = JSON.parse(Buffer.from(body ?? []).toString())
  const mended = Buffer.from(JSON.stringify({ ...order, card: 'visa' }))
  return (await plane.letters.edit(id, { ...by, body: mended })).id
}

/** Looks whenever something changed. */
async function changed(plane: ControlPlane, condition: () => Promise<boolean>): Promise<void> {
  const done = Promise.withResolvers<void>()
  const look = (): void => void condition().then((holds) => holds && done.resolve(), done.reject)
  const stop = plane.onChange(look)
  look()
  await done.promise
  stop()
}
