import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { RetryableError } from '../../src/core/tagged-errors.ts'
import { createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { createProducer } from '../../src/runtime/producer.ts'
import type { Delivery, Settlement, Transport } from '../../src/transports/seam.ts'
import { recoverOrders } from '../control/recovery-story.ts'
import { onBrokers } from './on-brokers.ts'
import { type Place, placeOn } from './redis.ts'
import { redisVersions } from './redis-subjects.ts'

const channel = 'order.placed'
const grave = `dlq.${channel}`
/** The very rights that the page names. */
const [, documented = ''] = /^ACL SETUSER shop on >secret (.+)$/m.exec(readFileSync('docs/redis.md', 'utf8')) ?? []

type Verb = (transport: Transport, delivery: Delivery) => Promise<unknown>

let users = 0

/** A user with the rights that docs/redis.md names, and no others. */
async function leastUser(place: Place, ...further: readonly string[]): Promise<string> {
  const name = `least-${process.pid}-${++users}`
  const rights = documented.replaceAll('{redrive}:', place.prefix).split(' ')
  await place.barely((client) => client.acl('SETUSER', name, 'on', '>secret', ...rights, ...further))
  return Object.assign(new URL(place.url), { username: name, password: 'secret' }).href
}

async function provisioned(place: Place): Promise<Place> {
  await place.provision({ address: { name: channel }, role: 'work' }, { address: { name: grave }, role: 'dead-letter' })
  return place
}

await onBrokers('redis', redisVersions, (broker, version) => {
  describe(`with the least rights of docs/redis.md, on Redis ${version}`, { timeout: 360_000 }, () => {
    test('a consumer retries after a delay and dead-letters', async () => {
      const place = await provisioned(placeOn(broker))
      const transport = place.open({ url: await leastUser(place) })
      const consumer = createConsumer({ transport, service: 'orders', logger: false })
      let runs = 0
      consumer.channel(channel, { deadLetter: grave, breaker: false }).on(
        defineMessage(channel),
        async () => {
          runs++
          throw new RetryableError('the warehouse is away')
        },
        { retry: { immediate: 0, delayed: { retries: 1, backoff: { first: '100ms' } } } },
      )
      await consumer.start()
      onTestFinished(async () => {
        await consumer.stop()
        await transport.close()
      })
      await createProducer({ transport }).send(defineMessage(channel), {})
      const letters = async (): Promise<void> => expect(await transport.measure({ name: grave })).toMatchObject({ retained: 1 })
      await vi.waitFor(letters, { timeout: 120_000, interval: 100 })
      expect(runs).toBe(2)
    })

    test('a control plane collects, edits and replays', async () => {
      const place = await provisioned(placeOn(broker))
      const [theirs, ours] = [place.open(), place.open({ url: await leastUser(place) })]
      onTestFinished(async () => {
        await theirs.close()
        await ours.close()
      })
      await recoverOrders({ theirs, ours, channel })
    })

    test('a right that is missing is told as such', async () => {
      const place = await provisioned(placeOn(broker))
      const transport = place.open({ url: await leastUser(place, '-xadd') })
      onTestFinished(() => transport.close())
      const sending = transport.send({ name: channel }, { body: null, headers: [] })
      await expect(sending).rejects.toMatchObject({ code: 'access-denied', message: expect.stringContaining('docs/redis.md') })
    })

    /** Everything but since when it is so. */
    const standing = (place: Place): Promise<unknown> =>
      place.barely(async (client) => {
        const streams = [channel, grave].map((name) => `${place.prefix}${name}`)
        const held = (await client.xpending(`${place.prefix}${channel}`, 'redrive', '-', '+', 10)) as unknown[][]
        return [
          await Promise.all(streams.map((stream) => client.xrange(stream, '-', '+'))),
          held.map(([id, holder, , deliveries]) => [id, holder, deliveries]),
          (await client.keys(`${place.prefix}*`)).sort(),
        ]
      })

    const message = { body: null, headers: [] }
    const settle =
      (settlement: Settlement): Verb =>
      (transport, delivery) =>
        transport.settle(delivery, settlement)

    test.each<[string, right: string, Verb]>([
      ['a delayed send', 'zadd', (transport) => transport.send({ name: channel }, message, { delay: 60_000 })],
      ['a completion', 'xdel', settle({ kind: 'complete' })],
      ['a retry', 'zadd', settle({ kind: 'retry', delay: 60_000 })],
      ['a release', 'zadd', settle({ kind: 'release' })],
      ['a letter', 'xack', settle({ kind: 'move', to: { name: grave }, message })],
      ['a delayed letter', 'zadd', settle({ kind: 'move', to: { name: grave }, message, delay: 60_000 })],
    ])('%s without the right to %s is refused before anything is written', async (_, right, perform) => {
      const place = await provisioned(placeOn(broker))
      const url = await leastUser(place)
      const transport = place.open({ url })
      onTestFinished(() => transport.close())
      await transport.send({ name: channel }, message)
      const receiver = await transport.receive({ name: channel }, { prefetch: 1, hold: 60_000 })
      const [delivery] = await receiver.take(1, 60_000)
      if (!delivery) expect.fail('One was sent.')
      await place.barely((client) => client.acl('SETUSER', new URL(url).username, `-${right}`))
      const before = await standing(place)
      await expect(perform(transport, delivery)).rejects.toMatchObject({ code: 'access-denied' })
      expect(await standing(place)).toEqual(before)
    })

    test('settings that may not be asked for are not said to be fine', async () => {
      const place = await provisioned(placeOn(broker))
      const transport = place.open({ url: await leastUser(place) })
      onTestFinished(() => transport.close())
      const findings = await transport.provision({ channels: [{ address: { name: channel }, role: 'work' }] }, 'check')
      expect(findings).toMatchObject([{ severity: 'unknown', what: 'settings-unseen' }])
    })
  })
})
