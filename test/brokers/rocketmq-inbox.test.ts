import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Broker } from '../../scripts/brokers/start.ts'
import { InvalidMessageError, PermanentError } from '../../src/core/tagged-errors.ts'
import type { ControlPlane, ReplayWishes } from '../../src/ops/control-plane.ts'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { text } from '../../src/runtime/codec.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { rocketmq } from '../../src/transports/rocketmq/rocketmq.ts'
import type { Address, Receiver, Transport } from '../../src/transports/seam.ts'
import { openVault } from '../control/letters.fixture.ts'
import { next } from '../taken.ts'
import { until } from '../until.ts'
import { onBrokers } from './on-brokers.ts'
import { bareClient } from './rocketmq.ts'
import { rocketmqVersions } from './rocketmq-subjects.ts'

const Order = defineMessage<string>('order', undefined, { codec: text })
/** Bounds what hangs, and not what is slow. Milliseconds. */
const patience = 240_000
const hold = 60_000
const by = { actor: 'ana' }
/** As fast as it can: what is shown here is where letters go, and not how carefully. */
const wishes: ReplayWishes = { ...by, name: 'all of them', rate: 1000, canary: undefined, observe: 1 }
let stages = 0

interface Stage {
  readonly orders: string
  readonly dead: string
  readonly invalid: string
  /** Handled by a consumer of our runtime. */
  readonly shop: string
  readonly parcels: string
  /** Gets its messages without any runtime of ours: the broker itself gives up what it does not take. */
  readonly warehouse: string
  /** What the control plane collects as. */
  readonly collector: string
}

function newStage(): Stage {
  const name = `inbox-${process.pid}-${++stages}`
  const [orders, dead, invalid, parcels] = ['orders', 'dead', 'invalid', 'parcels'].map((each) => `${name}-${each}`)
  const [shop, warehouse, collector] = ['shop', 'warehouse', 'collector'].map((each) => `${name}-${each}`)
  return { orders, dead, invalid, shop, parcels, warehouse, collector } as Stage
}

function open(broker: Broker, group: string): Transport {
  const transport = rocketmq({ url: broker.url, group, pollFor: '500ms' })
  onTestFinished(() => transport.close())
  return transport
}

/** Tells what it processed. While it is broken it refuses everything. */
async function startShop(broker: Broker, { orders, dead, invalid, shop }: Stage): Promise<{ mend(): void; processed: string[] }> {
  const transport = open(broker, shop)
  const processed: string[] = []
  let isBroken = true
  const consumer = createConsumer({ transport, service: 'shop', logger: false, provision: 'apply' })
  consumer.channel(orders, { deadLetter: dead, invalid, breaker: false }).on(Order, (order) => {
    if (isBroken && order === 'of nobody') throw new InvalidMessageError('there is no such account')
    if (isBroken) throw new PermanentError('the account is closed')
    processed.push(order)
  })
  onTestFinished(() => consumer.stop())
  await consumer.start()
  for (const order of ['an order', 'of nobody'])
    await transport.send({ name: orders }, { id: order, type: 'order', body: Buffer.from(order), headers: [['tenant', 'acme']] })
  return {
    processed,
    mend() {
      isBroken = false
    },
  }
}

/** Two deliveries, after which the broker moves a parcel to a topic of its own, and says nothing about why. */
async function giveUpParcel(transport: Transport, broker: Broker, { parcels, warehouse }: Stage): Promise<Receiver> {
  await bareClient(broker.url).createGroup(warehouse, 1)
  const address: Address = { name: parcels, group: warehouse }
  await transport.provision({ channels: [{ address, role: 'work' }] }, 'apply')
  await transport.send({ name: parcels }, { id: 'a parcel', body: Buffer.from('a parcel'), headers: [['tenant', 'acme']] })
  const receiver = await transport.receive(address, { prefetch: 1, hold })
  for (const _ of [1, 2]) await transport.settle(await next(receiver), { kind: 'retry', delay: 0 })
  await until('the broker has given it up', async () => {
    await receiver.take(1, 500)
    return (await transport.browse({ name: `%DLQ%${warehouse}` }, { limit: 1 })).messages.length === 1
  })
  return receiver
}

async function openPlane(broker: Broker, sources: readonly Address[], group: string, mode: 'collect' | 'follow') {
  const transport = open(broker, group)
  await transport.provision({ channels: sources.map((address) => ({ address, role: 'dead-letter' })) }, 'apply')
  const plane = createControlPlane({
    ...{ vault: openVault(), clock: systemClock, newId: newUuid, draw: randomBytes },
    sources: sources.map((address) => ({ connection: 'rocket', transport, address, mode })),
    transportNamed: (name) => (name === 'rocket' ? transport : undefined),
  })
  onTestFinished(() => plane.close())
  await plane.start()
  return plane
}

async function openLetters(plane: ControlPlane) {
  return (await plane.letters.find({ filter: 'state:open', limit: 100 })).letters
}

function inTheInbox(broker: Broker): void {
  for (const mode of ['collect', 'follow'] as const)
    test(`letters of dead-letter, invalid and %DLQ% topics (${mode}) stand in the inbox, and are replayed to who gave them up`, async () => {
      const stage = newStage()
      const shop = await startShop(broker, stage)
      const warehouse = open(broker, stage.warehouse)
      const parcels = await giveUpParcel(warehouse, broker, stage)
      const sources = [stage.dead, stage.invalid, `%DLQ%${stage.warehouse}`].map((name) => ({ name }))

      const plane = await openPlane(broker, sources, stage.collector, mode)
      await until('every letter is in the inbox', async () => (await openLetters(plane)).length === 3, patience)
      const { causes } = await plane.causes.list({ limit: 100 })
      expect(causes.map(({ title, total }) => `${total} × ${title}`).sort()).toEqual([
        // RocketMQ does not write why it gave a message up.
        '1 × Error',
        '1 × InvalidMessageError: there is no such account',
        '1 × PermanentError: the account is closed',
      ])
      const died = (await openLetters(plane)).map(({ dialect, channel, originGroup }) => [dialect, channel, originGroup])
      expect(died.sort()).toEqual([
        ['redrive', stage.orders, stage.shop],
        ['redrive', stage.orders, stage.shop],
        ['rocketmq', stage.parcels, stage.warehouse],
      ])
      // What was collected stays in a log, and is counted once all the same.
      const unresolved = async () => (await plane.sources()).map((source) => source.unresolved)
      await until('each is counted once', async () => String(await unresolved()) === '1,1,1', patience)

      shop.mend()
      const { replay } = await plane.replays.seal({ filter: 'state:open' }, wishes)
      await plane.replays.start(replay.id, by)
      await until('both orders are processed', () => shop.processed.length === 2, patience)
      expect(shop.processed.sort()).toEqual(['an order', 'of nobody'])
      const { message } = await next(parcels)
      expect([message.id, Buffer.from(message.body ?? []).toString()]).toEqual(['a parcel', 'a parcel'])
      expect(message.headers).toContainEqual(['tenant', 'acme'])
      expect((await plane.replays.show(replay.id)).counts).toMatchObject({ refused: 0, unknown: 0 })
    })
}

await onBrokers('rocketmq', rocketmqVersions, (broker, version) => {
  describe(`the control plane on RocketMQ ${version}`, { timeout: 3 * patience }, () => inTheInbox(broker))
})
