import { describe, expect, test } from 'vitest'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { createVhost, untilQueuesOutliveAKill, type Vhost } from '../../../test/brokers/rabbitmq.ts'
import { tcpProxy } from '../../../test/brokers/tcp-proxy.ts'
import { next } from '../../../test/taken.ts'
import { hasCode } from '../../core/errors.ts'
import { PermanentError } from '../../core/tagged-errors.ts'
import { createConsumer } from '../../runtime/consumer.ts'
import type { Context } from '../../runtime/context.ts'
import { defineMessage } from '../../runtime/define-message.ts'
import type { Delivery, Transport } from '../seam.ts'
import { rabbitmq } from './rabbitmq.ts'

const total = 1000
const work = { name: 'work' }
const labels: readonly string[] = Array.from({ length: total }, (_, index) => `m${index}`)

async function create(transport: Transport): Promise<void> {
  const dead = { name: 'dead' }
  const channels = [
    { address: dead, role: 'dead-letter' },
    { address: work, role: 'work', deadLetterTo: dead },
  ] as const
  await transport.provision({ channels }, 'apply')
}

/** Sends each until it is confirmed; tells how many sends were unsure, since each of those may be there twice. */
async function sendAll(transport: Transport, sent: (count: number) => void): Promise<number> {
  let confirmed = 0
  let unsure = 0
  async function sendOne(label: string): Promise<void> {
    for (;;) {
      try {
        await transport.send(work, { id: label, body: Buffer.from(label), headers: [] })
        sent(++confirmed)
        return
      } catch (error) {
        if (hasCode(error, 'unsure')) unsure++
        else if (!hasCode(error, 'unreachable')) throw error
      }
    }
  }
  for (let from = 0; from < total; from += 50) await Promise.all(labels.slice(from, from + 50).map(sendOne))
  return unsure
}

interface Drained {
  readonly seen: ReadonlySet<string>
  readonly deliveries: number
}

/** Bounds what never comes, and not what comes late. Milliseconds. */
const patience = 100_000

async function inQueue(vhost: Vhost, queue: string): Promise<number> {
  return (await vhost.barely((channel) => channel.checkQueue(queue))).messageCount
}

/**
 * Completes everything that comes until all is sent and has come and the queue is empty; receives anew whenever its receiver is lost. What
 * was delivered counts as seen: a settlement that is unsure may have been taken, and then its message does not come again.
 */
async function completeAll(
  { transport, vhost }: { readonly transport: Transport; readonly vhost: Vhost },
  sending: Promise<unknown>,
  completed: (count: number) => void,
): Promise<Drained> {
  const seen = new Set<string>()
  let deliveries = 0
  let settled = 0
  let givenUpAt = Number.POSITIVE_INFINITY
  void sending.then(() => {
    givenUpAt = performance.now() + patience
  })
  for (let isOver = false; !isOver; ) {
    try {
      const receiver = await transport.receive(work, { prefetch: 100, hold: 30_000 })
      while (!isOver && !receiver.lost.aborted) {
        const batch = await receiver.take(20, 500)
        await Promise.allSettled(batch.map((delivery) => complete(delivery)))
        // A broker that says nothing for a while may only be slow.
        const isAll = seen.size === total && givenUpAt < Number.POSITIVE_INFINITY
        if (batch.length === 0) isOver = isAll ? (await inQueue(vhost, 'work')) === 0 : performance.now() > givenUpAt
      }
      await receiver.close()
    } catch (error) {
      if (!hasCode(error, 'unreachable') && !hasCode(error, 'unsure')) throw error
    }
  }
  return { seen, deliveries }

  async function complete(delivery: Delivery): Promise<void> {
    deliveries++
    seen.add(String(delivery.message.body))
    await transport.settle(delivery, { kind: 'complete' })
    completed(++settled)
  }
}

await onBrokers('rabbitmq', ['4.0'], (broker) => {
  describe('nothing is lost', { timeout: 480_000 }, () => {
    test.each(['quorum', 'classic'] as const)(
      'when the connection is cut again and again in 1,000 sends and settlements (%s)',
      async (queueType) => {
        const vhost = await createVhost(broker)
        const proxy = await tcpProxy(vhost.port)
        const transport = rabbitmq({ url: vhost.url.replace(`:${vhost.port}`, `:${proxy.port}`), queueType })
        await create(transport)
        const cutEvery = (every: number) => (count: number) => {
          if (count % every === 0) proxy.cut()
        }
        const sending = sendAll(transport, cutEvery(211))
        const { seen, deliveries } = await completeAll({ transport, vhost }, sending, cutEvery(197))
        expect([...seen].sort()).toEqual([...labels].sort())
        await expect.poll(() => inQueue(vhost, 'work')).toBe(0)
        console.log(`${queueType}: ${await sending} sends unsure, ${deliveries - total} deliveries again`)
        await transport.close()
        await proxy.close()
        await vhost.remove()
      },
    )

    test('when the broker is killed in the middle of 1,000 sends and settlements', async () => {
      const vhost = await createVhost(broker)
      const transport = rabbitmq({ url: vhost.url, connectWithin: '60s' })
      await create(transport)
      await untilQueuesOutliveAKill()
      let restarted: Promise<void> | undefined
      const killHalfway = (count: number): void => {
        if (count === total / 2) restarted ??= broker.restart()
      }
      const sending = sendAll(transport, killHalfway)
      const { seen, deliveries } = await completeAll({ transport, vhost }, sending, () => {})
      expect([...seen].sort()).toEqual([...labels].sort())
      await restarted
      await expect.poll(() => inQueue(vhost, 'work')).toBe(0)
      console.log(`kill: ${await sending} sends unsure, ${deliveries - total} deliveries again`)
      await transport.close()
      await vhost.remove()
    })
  })

  test('a broker that is silent makes sends and settlements unsure, in bounded time, and a close ends', {
    timeout: 240_000,
  }, async () => {
    const vhost = await createVhost(broker)
    const transport = rabbitmq({ url: vhost.url, answerWithin: '12s', connectWithin: '12s' })
    await create(transport)
    await transport.send(work, { body: Buffer.from('x'), headers: [] })
    const receiver = await transport.receive(work, { prefetch: 1, hold: 30_000 })
    const delivery = await next(receiver)
    broker.freeze()
    try {
      const settling = transport.settle(delivery, { kind: 'complete' })
      const sending = transport.send(work, { body: Buffer.from('y'), headers: [] })
      // Whichever is given up first, the other one is being waited for.
      const unsure = { code: 'unsure' }
      await Promise.all([expect(settling).rejects.toMatchObject(unsure), expect(sending).rejects.toMatchObject(unsure)])
      expect([receiver.lost.aborted, delivery.hold.signal.aborted]).toEqual([true, true])
      await expect(transport.settle(delivery, { kind: 'complete' })).rejects.toMatchObject({ code: 'hold-lost' })
      await expect(transport.measure(work)).rejects.toMatchObject({ code: 'unreachable' })
      await transport.close()
    } finally {
      broker.thaw()
    }
  })

  test('healthy messages flow past more held letters than the prefetch, and all letters arrive after the repair', {
    timeout: 240_000,
  }, async () => {
    const vhost = await createVhost(broker)
    const transport = rabbitmq({ url: vhost.url })
    const consumer = createConsumer({ transport, service: 'tests', logger: false })
    const handled = new Set<unknown>()
    let held = 0
    consumer.on('dead-letter-failed', (event) => {
      held = Math.max(held, event.held)
    })
    consumer.channel('work', { deadLetter: 'dead', prefetch: 5, concurrency: 5 }).on(defineMessage('job'), (value: unknown) => {
      if (value === 'bad') throw new PermanentError('never works')
      handled.add(value)
    })
    await consumer.start()
    await vhost.barely((channel) => channel.deleteQueue('dead'))
    const send = (value: unknown) =>
      transport.send(work, {
        type: 'job',
        contentType: 'application/json',
        body: Buffer.from(JSON.stringify(value)),
        headers: [],
      })
    for (let bad = 0; bad < 12; bad++) await send('bad')
    for (let good = 0; good < 10; good++) await send(good)
    await expect.poll(() => [handled.size, held]).toEqual([10, 12])
    await vhost.barely((channel) => channel.assertQueue('dead'))
    await expect.poll(() => inQueue(vhost, 'dead')).toBe(12)
    await consumer.stop()
    await transport.close()
    await vhost.remove()
  })

  test('a connection that is lost again and again is not blamed on what only waited in hand', { timeout: 240_000 }, async () => {
    const vhost = await createVhost(broker)
    const proxy = await tcpProxy(vhost.port)
    const transport = rabbitmq({ url: vhost.url.replace(`:${vhost.port}`, `:${proxy.port}`) })
    const consumer = createConsumer({ transport, service: 'tests', logger: false })
    const gate = Promise.withResolvers<void>()
    const attempts = new Map<unknown, number>()
    let waiting = 0
    consumer
      .channel('work', { deadLetter: 'dead', prefetch: 10, concurrency: 10 })
      .on(defineMessage('job'), async (value: unknown, { signal, attempt }: Context) => {
        if (Number(value) >= 100) {
          waiting++
          await Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))])
        }
        attempts.set(value, attempt)
      })
    await consumer.start()
    const producer = rabbitmq({ url: vhost.url })
    const send = (value: number) =>
      producer.send(work, { type: 'job', contentType: 'application/json', body: Buffer.from(`${value}`), headers: [] })
    for (let quick = 0; quick < 50; quick++) await send(quick)
    for (let slow = 100; slow < 110; slow++) await send(slow)
    await expect.poll(() => waiting).toBe(10)
    for (let cut = 1; cut <= 2; cut++) {
      const before = waiting
      proxy.cut()
      await expect.poll(() => waiting).toBeGreaterThan(before)
    }
    gate.resolve()
    await expect.poll(() => inQueue(vhost, 'work')).toBe(0)
    await consumer.stop()
    // One was alone in hand when the connection was lost again: nobody can tell that from a message that kills its consumer.
    expect([...attempts.values()].filter((attempt) => attempt > 1).length).toBeLessThanOrEqual(1)
    await Promise.all([transport.close(), producer.close()])
    await proxy.close()
    await vhost.remove()
  })
})
