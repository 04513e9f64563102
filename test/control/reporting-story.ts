import { randomBytes } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { ConsumerReport } from '../../src/core/consumer-report.ts'
import type { PostJson } from '../../src/core/ports.ts'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { postJson } from '../../src/platform/post-json.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { createProducer, type Producer } from '../../src/runtime/producer.ts'
import { createServer } from '../../src/server/server.ts'
import { openVault } from './letters.fixture.ts'
import type { Stage } from './recovery-story.ts'
import { tokenOf } from './token.fixture.ts'

const Order = defineMessage('order.placed', z.object({ order: z.number() }))
const by = { actor: 'ana' }
const hour = 3_600_000

/** A shop that reports over HTTP to a real server, which collects what died in it. */
interface Shop {
  readonly plane: RunningControlPlane
  readonly producer: Producer
  readonly processed: number[]
  isBroken: boolean
  publish(from: number, to: number): Promise<void>
  /** As somebody with an operator's token. */
  order(verb: 'pause' | 'resume'): Promise<void>
  /** Looks after every report that was answered. */
  reported(condition: (report: ConsumerReport) => boolean | Promise<boolean>): Promise<void>
}

async function openShop({ theirs, ours, channel }: Stage): Promise<Shop> {
  const vault = openVault()
  const plane = createControlPlane({
    ...{ vault, clock: systemClock, newId: newUuid, draw: randomBytes },
    sources: [{ connection: 'shop', transport: ours, address: { name: `dlq.${channel}` }, mode: 'collect' }],
    transportNamed: (name) => (name === 'shop' ? ours : undefined),
  })
  const server = await createServer({ controlPlane: plane, vault, passwordCost: 4 })
  const url = await server.listen()
  const [consumerToken, operatorToken] = [await tokenOf(vault, 'consumer'), await tokenOf(vault, 'operator')]
  const listeners = new Set<(report: ConsumerReport) => void>()
  const watched: PostJson = async (to, request) => {
    const answer = await postJson(to, request)
    if (answer.status === 200) for (const listener of [...listeners]) listener(JSON.parse(request.body) as ConsumerReport)
    return answer
  }
  const consumer = createConsumer({
    ...{ transport: theirs, service: 'orders', version: '1.4.0', logger: false, platform: { postJson: watched } },
    controlPlane: { url, token: consumerToken, every: '1s' },
  })
  const shop: Shop = {
    plane,
    producer: createProducer({ transport: theirs }),
    processed: [],
    isBroken: false,
    async publish(from, to) {
      for (let order = from; order < to; order++) await shop.producer.send(Order, { order }, { channel })
    },
    async order(verb) {
      const answer = await fetch(`${url}/api/v1/consumers/${verb}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ service: 'orders', channel }),
      })
      expect(answer.status).toBe(200)
    },
    reported(condition) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const look = async (report: ConsumerReport): Promise<void> => {
        if (!(await condition(report))) return
        listeners.delete(listener)
        resolve()
      }
      const listener = (report: ConsumerReport): void => void look(report).catch(reject)
      listeners.add(listener)
      return promise
    },
  }
  consumer.channel(channel, { deadLetter: `dlq.${channel}`, breaker: false, order: 'none' }).on(
    Order,
    async ({ order }) => {
      if (shop.isBroken) throw new Error('the card reader is broken')
      shop.processed.push(order)
    },
    { retry: { immediate: 0, delayed: { retries: 0 } } },
  )
  onTestFinished(async () => {
    await consumer.stop()
    await server.close()
    await plane.close()
  })
  await consumer.start()
  await plane.start()
  return shop
}

const letters = 10

/** Publish, fail, letter, fix, replay: and the consumer itself says that each letter succeeded, so that nobody has to assume it. */
export async function replayUntilReported(stage: Stage): Promise<void> {
  const shop = await openShop(stage)
  const { plane } = shop
  shop.isBroken = true
  await shop.publish(0, letters)
  await shop.reported(async () => (await plane.letters.find({ filter: 'state:open', limit: 100 })).letters.length === letters)
  shop.isBroken = false
  const wishes = { ...by, name: 'mended', rate: 1000, canary: { first: 1, growth: 5, tolerated: 0 }, observe: hour }
  const { replay } = await plane.replays.seal({ filter: 'state:open' }, wishes)
  await plane.replays.start(replay.id, by)
  await shop.reported(async () => (await plane.replays.show(replay.id)).replay.state === 'done')
  expect((await plane.replays.show(replay.id)).counts).toMatchObject({ succeeded: letters, assumed: 0, sent: 0, returned: 0 })
  expect((await plane.letters.find({ filter: 'state:succeeded', limit: 100 })).letters).toHaveLength(letters)
  await expect.poll(() => plane.sources()).toMatchObject([{ unresolved: 0 }])
  expect(shop.processed.toSorted((a, b) => a - b)).toEqual(Array.from({ length: letters }, (_, order) => order))
}

/** An operator pauses the channel of a running consumer over the API, and resumes it: all is processed, once, and nothing died of it. */
export async function pauseAndResume(stage: Stage): Promise<void> {
  const shop = await openShop(stage)
  await shop.publish(0, 5)
  await shop.reported(() => shop.processed.length === 5)
  await shop.order('pause')
  await shop.reported(({ channels }) => channels[0]?.state === 'paused')
  await shop.publish(5, 10)
  for (const _ of ['one', 'and another']) await shop.reported(({ channels }) => channels[0]?.state === 'paused')
  expect(shop.processed).toHaveLength(5)
  // One that has not been heard of for some seconds is no longer said to report: on a slow machine that may be between two reports.
  await expect
    .poll(() => shop.plane.consumers.list())
    .toMatchObject([
      { service: 'orders', state: 'reporting', channels: [{ state: 'paused', order: { order: 'pause', actor: 'operator' } }] },
    ])
  await shop.order('resume')
  let counts: ConsumerReport['channels'][number]['counts'] | undefined
  await shop.reported(({ channels }) => {
    counts = channels[0]?.counts
    return shop.processed.length >= 10 && counts?.completed === 10
  })
  expect(shop.processed.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(counts).toMatchObject({ deadLettered: 0, retried: 0 })
  expect((await shop.plane.letters.find({ limit: 1 })).letters).toEqual([])
}
