import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { createProducer } from '../../src/runtime/producer.ts'
import { embedded } from '../../src/transports/embedded/embedded.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'

const Order = defineMessage('order.placed', z.object({ order: z.number(), card: z.string() }))

test('publish, fail, letter, trace, edit, replay, processed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-recovery-'))
  const transport = embedded({ file: join(folder, 'queue.db') })
  const vault = sqliteVault({ file: join(folder, 'vault.db') })
  const plane = createControlPlane({
    vault,
    clock: systemClock,
    newId: newUuid,
    draw: randomBytes,
    sources: [{ connection: 'shop', transport, address: { name: 'dlq.order.placed' }, mode: 'collect' }],
    transportNamed: (name) => (name === 'shop' ? transport : undefined),
  })
  onTestFinished(async () => {
    await plane.close()
    await consumer.stop()
    await transport.close()
    await vault.close()
    rmSync(folder, { recursive: true })
  })

  const seen: number[] = []
  const consumer = createConsumer({ transport, service: 'orders', version: '1.4.0', logger: false })
  consumer.channel('order.placed', { deadLetter: 'dlq.order.placed' }).on(
    Order,
    async ({ order, card }) => {
      if (card === '') throw new Error(`no card for order ${order}`)
      seen.push(order)
    },
    { retry: { immediate: 0, delayed: { retries: 0 } } },
  )
  await consumer.start()
  const producer = createProducer({ transport })
  for (let order = 0; order < 10; order++) await producer.send(Order, { order, card: '' }, { correlationId: `order-${order}` })

  const kept = Promise.withResolvers<void>()
  let letters = 0
  plane.onChange((change) => {
    if (change.kind === 'problem') kept.reject(new Error(change.code))
    if (change.kind === 'letters') letters += change.letters
    if (letters === 10) kept.resolve()
  })
  await plane.start()
  await kept.promise

  const { causes } = await plane.causes.list({ limit: 10 })
  expect(causes).toMatchObject([{ title: 'Error: no card for order <number>', total: 10, unresolved: 10, state: 'open' }])
  const page = await plane.letters.find({ filter: 'state:open channel:order.* "no card" service:orders', limit: 4 })
  expect(page.letters).toHaveLength(4)
  const [trace] = await plane.trace('order-7')
  expect(trace).toMatchObject({ kind: 'failed', letter: { correlationId: 'order-7', version: '1.4.0' } })

  const wishes = { rate: 1000, canary: { first: 1, growth: 5, tolerated: 0 }, observe: 200, name: 'with a card', actor: 'ana' }
  const everything = await plane.letters.find({ filter: 'state:open', limit: 100 })
  const edits = new Map<number, number>()
  for (const { id } of everything.letters) {
    const message = await plane.letters.content(id)
    const order = JSON.parse(Buffer.from(message.body ?? []).toString())
    const body = Buffer.from(JSON.stringify({ ...order, card: 'visa' }))
    edits.set(id, (await plane.letters.edit(id, { actor: 'ana', body })).id)
  }
  const { replay } = await plane.replays.seal({ filter: 'state:open' }, { ...wishes, edits })
  const done = Promise.withResolvers<void>()
  plane.onChange((change) => {
    if (change.kind === 'replay' && change.counts.assumed === 10) done.resolve()
  })
  await plane.replays.start(replay.id, { actor: 'ana' })
  await done.promise
  expect(seen.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(await plane.causes.list({ limit: 10 })).toMatchObject({ causes: [{ total: 10, unresolved: 0 }] })
  expect(await plane.sources()).toMatchObject([{ unresolved: 0, onBroker: { letters: 0 } }])
})
