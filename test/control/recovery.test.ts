import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { collect } from '../../src/ops/collect.ts'
import { planReplay } from '../../src/ops/replay/plan-replay.ts'
import { runReplay } from '../../src/ops/replay/run-replay.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { createProducer } from '../../src/runtime/producer.ts'
import { embedded } from '../../src/transports/embedded/embedded.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'

const Order = defineMessage('order.placed', z.object({ order: z.number() }))

test('a letter that failed is collected, replayed and processed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-recovery-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const transport = embedded({ file: join(folder, 'queue.db') })
  const vault = sqliteVault({ file: join(folder, 'vault.db') })
  onTestFinished(async () => {
    await transport.close()
    await vault.close()
  })
  let broken = true
  const seen: number[] = []
  const consumer = createConsumer({ transport, service: 'orders', logger: false })
  consumer.channel('order.placed', { deadLetter: 'dlq.order.placed' }).on(
    Order,
    async ({ order }) => {
      if (broken) throw new Error(`card declined for ${order}`)
      seen.push(order)
    },
    { retry: { immediate: 0, delayed: { retries: 0 } } },
  )
  await consumer.start()
  onTestFinished(() => consumer.stop())
  const producer = createProducer({ transport })
  for (let order = 0; order < 10; order++) await producer.send(Order, { order })

  const source = { connection: 'shop', transport, address: { name: 'dlq.order.placed' } }
  let kept = 0
  const all = Promise.withResolvers<void>()
  const collector = collect(source, {
    vault,
    clock: systemClock,
    draw: randomBytes,
    onProblem: (problem) => all.reject(problem),
    onKept: ({ letters }) => {
      kept += letters.length
      if (kept === 10) all.resolve()
    },
  })
  await all.promise
  const causes = await vault.read('listCauses', { limit: 10 })
  expect(causes).toMatchObject([{ total: 10, unresolved: 10, state: 'open' }])
  const letters = await vault.read('findLetters', { condition: { where: 'letters.state = ?', parameters: ['open'] }, limit: 100 })
  expect(letters).toHaveLength(10)
  broken = false
  const preview = planReplay(letters, await vault.read('listSources', undefined), {
    rate: 1000,
    canary: { first: 1, growth: 5, tolerated: 0 },
    observe: 200,
  })
  expect(preview.refusals).toEqual([])
  const { id } = await vault.write('sealReplay', {
    name: 'test',
    actor: 'me',
    now: Date.now(),
    plan: preview.plan,
    letters: preview.letters,
  })
  expect(await vault.write('startReplay', { replay: id, now: Date.now() })).toEqual({ taken: 10, refused: 0 })
  const run = runReplay(id, { vault, clock: systemClock, newId: newUuid, transportNamed: () => transport })
  await run.ended
  expect(await vault.read('countLedger', { replay: id })).toMatchObject({ assumed: 10, planned: 0 })
  expect(await vault.read('showReplay', { replay: id })).toMatchObject({ state: 'done' })
  expect(seen.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  await collector.stop()
  expect(await vault.read('listCauses', { limit: 10 })).toMatchObject([{ total: 10, unresolved: 0 }])
})
