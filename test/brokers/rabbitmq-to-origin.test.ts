import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { Broker } from '../../scripts/brokers/start.ts'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { openVault } from '../control/letters.fixture.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost, type Vhost } from './rabbitmq.ts'
import { rabbitmqVersions } from './rabbitmq-subjects.ts'

const careful = { rate: 1000, canary: { first: 1, growth: 5, tolerated: 0 }, observe: 100 }
const toOrigin = { ...careful, toOrigin: true }
const by = { actor: 'ana' }
const all = { filter: 'state:open' }
const Order = defineMessage<{ order: number }>('order.placed')
const placed = { exchange: 'shop', routingKey: 'order.placed' }

/** An exchange that gives every order to two queues, of which one rejects what it gets. */
async function openShop(broker: Broker): Promise<Vhost> {
  const vhost = await createVhost(broker)
  await vhost.barely(async (channel) => {
    await channel.assertExchange('shop', 'topic')
    await channel.assertQueue('dlq.orders')
    await channel.assertQueue('orders', { deadLetterExchange: '', deadLetterRoutingKey: 'dlq.orders' })
    await channel.assertQueue('audit')
    await channel.bindQueue('orders', 'shop', 'order.placed')
    await channel.bindQueue('audit', 'shop', 'order.*')
  })
  return vhost
}

async function publish(vhost: Vhost, orders: number): Promise<void> {
  await vhost.barely(async (channel) => {
    for (let order = 0; order < orders; order++) {
      const properties = { messageId: `order-${order}`, type: 'order.placed', contentType: 'application/json' }
      channel.publish('shop', 'order.placed', Buffer.from(JSON.stringify({ order })), properties)
    }
  })
}

/** Takes everything out of a queue: headers of what it held. */
async function emptied(vhost: Vhost, queue: string): Promise<readonly Record<string, unknown>[]> {
  return vhost.barely(async (channel) => {
    const found: Record<string, unknown>[] = []
    for (let got = await channel.get(queue, { noAck: true }); got; got = await channel.get(queue, { noAck: true })) {
      found.push(got.properties.headers ?? {})
    }
    return found
  })
}

/** What a consumer of anybody's does that gives up: the broker makes the letter. */
async function rejectAll(vhost: Vhost, count: number): Promise<void> {
  await vhost.barely(async (channel) => {
    const rejected = Promise.withResolvers<void>()
    let left = count
    await channel.consume('orders', (got) => {
      if (!got) return
      channel.reject(got, false)
      if (--left === 0) rejected.resolve()
    })
    await rejected.promise
  })
}

/** A control plane that has collected so many letters. */
async function collected(ours: Transport, count: number): Promise<RunningControlPlane> {
  const plane = createControlPlane({
    ...{ vault: openVault(), clock: systemClock, newId: newUuid, draw: randomBytes },
    sources: [{ connection: 'shop', transport: ours, address: { name: 'dlq.orders' }, mode: 'collect' }],
    transportNamed: (name) => (name === 'shop' ? ours : undefined),
  })
  onTestFinished(() => plane.close())
  await plane.start()
  await seen(plane, async () => (await plane.letters.find({ filter: 'state:open', limit: 100 })).letters.length === count)
  return plane
}

async function seen(plane: RunningControlPlane, condition: () => Promise<boolean>): Promise<void> {
  const done = Promise.withResolvers<void>()
  const look = (): void => void condition().then((holds) => holds && done.resolve(), done.reject)
  const stop = plane.onChange(look)
  look()
  await done.promise
  stop()
}

/** Sends everything to its origin, and tells when nothing more is to be sent. */
async function replay(plane: RunningControlPlane): Promise<number> {
  // Nobody consumes here, so that nothing is ever taken to have succeeded: no canary, which would wait for that.
  const { replay: made } = await plane.replays.seal(all, { ...toOrigin, canary: undefined, ...by, name: 'to its origin' })
  await plane.replays.start(made.id, by)
  await seen(plane, async () => {
    const { planned, claimed } = (await plane.replays.show(made.id)).counts
    return planned + claimed === 0
  })
  return made.id
}

function opened(vhost: Vhost, options: { readonly management?: boolean } = {}): Transport {
  const { management = true } = options
  const transport = rabbitmq({ url: vhost.url, ...(management && { management: vhost.management }) })
  onTestFinished(() => transport.close())
  return transport
}

/** Three rejected orders, sent back: how many each queue then holds. */
async function reachedBy(vhost: Vhost, ours: Transport): Promise<Readonly<Record<'orders' | 'audit', number>>> {
  await publish(vhost, 3)
  await rejectAll(vhost, 3)
  await emptied(vhost, 'audit')
  const plane = await collected(ours, 3)
  await replay(plane)
  return { orders: (await emptied(vhost, 'orders')).length, audit: (await emptied(vhost, 'audit')).length }
}

await onBrokers('rabbitmq', rabbitmqVersions, (broker, version) => {
  test(`a letter goes back to the exchange it came from, and the preview names the queues: on RabbitMQ ${version}`, {
    timeout: 360_000,
  }, async () => {
    const vhost = await openShop(broker)
    await publish(vhost, 3)
    await rejectAll(vhost, 3)
    await emptied(vhost, 'audit')
    const plane = await collected(opened(vhost), 3)
    const destination = { connection: 'shop', channel: 'orders' }
    expect((await plane.replays.preview(all, careful)).destinations).toEqual([{ destination, letters: 3 }])
    expect(await plane.replays.preview(all, toOrigin)).toMatchObject({
      destinations: [{ destination: { ...destination, via: placed }, letters: 3, reach: { channels: ['audit', 'orders'] } }],
      refused: 0,
    })
    const id = await replay(plane)
    expect((await plane.replays.show(id)).counts).toMatchObject({ sent: 3, unknown: 0, refused: 0 })
    const [orders, audit] = [await emptied(vhost, 'orders'), await emptied(vhost, 'audit')]
    expect([orders.length, audit.length]).toEqual([3, 3])
    for (const headers of [...orders, ...audit]) {
      expect(headers).not.toHaveProperty('x-death')
      expect(headers).toMatchObject({ 'redrive-replay': String(id) })
    }
  })

  test(`a transport that sends straight to the queue instead is seen: on RabbitMQ ${version}`, { timeout: 360_000 }, async () => {
    const [shop, twin] = [await openShop(broker), await openShop(broker)]
    expect(await reachedBy(shop, opened(shop))).toEqual({ orders: 3, audit: 3 })
    const planted = opened(twin)
    const forgetful: Transport = { ...planted, send: (to, message) => planted.send(to, message) }
    expect(await reachedBy(twin, forgetful)).toEqual({ orders: 3, audit: 0 })
  })

  test(`letters of our own consumer know their exchange, also after a delayed retry: on RabbitMQ ${version}`, {
    timeout: 360_000,
  }, async () => {
    const vhost = await createVhost(broker)
    const theirs = opened(vhost)
    const consumer = createConsumer({ transport: theirs, service: 'orders', logger: false })
    let runs = 0
    consumer.channel('orders', { deadLetter: 'dlq.orders', breaker: false }).on(
      Order,
      async () => {
        runs++
        throw Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
      },
      { retry: { immediate: 0, delayed: { retries: 1, backoff: { kind: 'fixed', first: '100ms', jitter: 0 } } } },
    )
    await consumer.start()
    await vhost.barely(async (channel) => {
      await channel.assertExchange('shop', 'topic')
      await channel.bindQueue('orders', 'shop', 'order.placed')
    })
    await publish(vhost, 1)
    const plane = await collected(opened(vhost), 1)
    await consumer.stop()
    expect(runs).toBe(2)
    expect((await plane.replays.preview(all, toOrigin)).destinations).toMatchObject([{ destination: { via: placed } }])
  })

  test(`what cannot be known or done is said before anything is sent: on RabbitMQ ${version}`, { timeout: 360_000 }, async () => {
    const vhost = await openShop(broker)
    await publish(vhost, 1)
    await rejectAll(vhost, 1)
    await vhost.barely(async (channel) => void channel.sendToQueue('dlq.orders', Buffer.from('nobody knows whence')))
    const plane = await collected(opened(vhost, { management: false }), 2)
    const preview = await plane.replays.preview(all, toOrigin)
    expect(preview.destinations[0]?.reach).toMatchObject({ channels: [], doubt: expect.stringContaining('management API') })
    expect(preview.refusals).toMatchObject([{ because: 'no-origin' }])

    // The exchange is gone by the time that it is sent: nothing is lost, and the letter is open again.
    await vhost.barely(async (channel) => void (await channel.deleteExchange('shop')))
    const id = await replay(plane)
    expect((await plane.replays.show(id)).counts).toMatchObject({ refused: 1, unknown: 0, sent: 0 })
    expect((await plane.letters.find({ filter: 'state:open', limit: 10 })).letters).toHaveLength(2)
  })
})
