import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { AlertingSetup } from '../../src/ops/alerts/start-alerting.ts'
import type { ReplayWishes } from '../../src/ops/control-plane.ts'
import type { RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import type { TriageRule } from '../../src/ops/triage.ts'
import { defineMessage, type MessageDefinition } from '../../src/runtime/define-message.ts'
import { createTestBench, type TestBench } from '../../src/testing/testing.ts'
import type { Transport } from '../../src/transports/seam.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { memoryVault } from './memory-vault.ts'
import { planeUnderTest } from './planes-under-test.ts'
import { reportTo } from './report-to.ts'

export const Order: MessageDefinition<{ order: number; customer: string }> = defineMessage(
  'order',
  z.object({ order: z.number(), customer: z.string() }),
  {
    key: ({ customer }) => customer,
  },
)

/** A shop whose consumer fails or works as it is told, and a control plane that looks after its dead letters, all on virtual time. */
export interface Shop {
  readonly bench: TestBench
  readonly vault: Vault
  readonly plane: RunningControlPlane
  /** Orders as the handler saw them, failed runs included. */
  readonly seen: number[]
  /** What the handler does with an order from now on. */
  handle: (order: number) => void
  /** Lets so many orders die and be collected; `filter`: where they are then. */
  orders(count: number, filter?: string): Promise<void>
  /** Moves time forward in steps of so many milliseconds until it holds. */
  until(condition: () => Promise<boolean>, step?: number): Promise<void>
}

export interface ShopOptions {
  /** What the control plane has between itself and the broker. */
  readonly wrap?: (transport: Transport) => Transport
  readonly vault?: (vault: Vault) => Vault
  /** Whether the consumer pauses when everything fails. */
  readonly breaker?: boolean
  /** Whether the line is cut by which the consumer reports; without it, it does not report. */
  readonly isCut?: () => boolean
  readonly triage?: readonly TriageRule[]
  /** Whether letters can be found by words in their bodies. */
  readonly searchBodies?: boolean
  /** Whether anybody watches. */
  readonly alerting?: AlertingSetup
}

export async function openShop({
  wrap = (transport) => transport,
  vault: wrapVault = (vault) => vault,
  breaker = false,
  isCut,
  triage = [],
  searchBodies = false,
  alerting,
}: ShopOptions = {}): Promise<Shop> {
  const bench = createTestBench()
  const vault = wrapVault(memoryVault())
  let ids = 0
  const transport = wrap(bench.transport)
  const plane = planeUnderTest({
    vault,
    clock: bench.clock,
    newId: () => `name-${++ids}`,
    draw: (bytes) => Buffer.from(String(++ids).padStart(bytes, '0')),
    sources: [{ connection: 'shop', transport, address: { name: 'dlq.order' }, mode: 'collect', searchBodies }],
    transportNamed: (name) => (name === 'shop' ? transport : undefined),
    triage,
    ...(alerting && { alerting }),
  })
  const reporting = isCut && {
    controlPlane: { url: 'http://localhost', token: 'token' },
    platform: { ...bench.platform, postJson: reportTo(plane, isCut) },
  }
  const consumer = bench.consumer({ service: 'orders', ...reporting })
  const shop: Shop = {
    bench,
    vault,
    plane,
    seen: [],
    handle() {
      throw new Error('card declined')
    },
    async orders(count, filter = 'state:open') {
      for (let order = 0; order < count; order++) await bench.producer.send(Order, { order, customer: `c-${order % 3}` })
      await shop.until(async () => (await plane.letters.find({ filter, limit: 10_000 })).letters.length === count)
    },
    async until(condition, step = 100) {
      for (let rounds = 0; !(await condition()); rounds++) {
        if (rounds > 20_000) throw new Error('It did not happen within 20,000 steps.')
        await bench.clock.advance(step)
      }
    },
  }
  consumer.channel('order', { deadLetter: 'dlq.order', order: 'per-process', ...(!breaker && { breaker: false }) }).on(
    Order,
    async ({ order }) => {
      shop.seen.push(order)
      shop.handle(order)
    },
    { retry: { immediate: 0, delayed: { retries: 0 } } },
  )
  await consumer.start()
  await plane.start()
  onTestFinished(async () => {
    await plane.close()
    await consumer.stop()
    await vault.close()
  })
  return shop
}

export const wishes: ReplayWishes = {
  name: 'after the fix',
  actor: 'ana',
  rate: 1000,
  canary: { first: 1, growth: 5, tolerated: 0 },
  observe: 10_000,
}

export async function replayAll({ plane }: Shop, changes: Partial<ReplayWishes> = {}): Promise<number> {
  const { replay } = await plane.replays.seal({ filter: 'state:open' }, { ...wishes, ...changes })
  await plane.replays.start(replay.id, { actor: 'ana' })
  return replay.id
}

export function ended({ plane }: Shop, replay: number): () => Promise<boolean> {
  return async () => ['done', 'stopped', 'cancelled'].includes((await plane.replays.show(replay)).replay.state)
}
