import { ServiceBusClient } from '@azure/service-bus'
import rhea from 'rhea'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { failure } from '../../../test/servicebus/failure.ts'
import { type ServiceBusServer, startServer } from '../../../test/servicebus/server.ts'
import type { Message } from '../../core/message.ts'
import type { Address, Delivery, Receiver, Transport } from '../seam.ts'
import type { ServicebusOptions } from './options.ts'
import { servicebus } from './servicebus.ts'

const patience = 100_000
const hold = 300_000
const work: Address = { name: 'work' }
const grave: Address = { name: 'work', part: 'dead-letter' }
const open: { close(): Promise<unknown> }[] = []

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

async function stage(options: Partial<ServicebusOptions> = {}): Promise<{ server: ServiceBusServer; transport: Transport }> {
  const server = await startServer()
  const { connectionString, adminEndpoint } = server
  const transport = servicebus({ connectionString, adminEndpoint, ...options })
  open.push({ close: () => server.stop() }, transport)
  return { server, transport }
}

const messageOf = (text: string, rest: Partial<Message> = {}): Message => ({
  id: text,
  body: Buffer.from(text),
  headers: [],
  ...rest,
})
const textOf = ({ message }: Delivery): string => Buffer.from(message.body ?? []).toString()

async function gather(receiver: Receiver, count: number): Promise<Delivery[]> {
  const found: Delivery[] = []
  while (found.length < count) {
    const batch = await receiver.take(count - found.length, patience)
    if (batch.length === 0) throw new Error(`Only ${found.length} of ${count} deliveries came.`)
    found.push(...batch)
  }
  return found
}

describe('Service Bus', { timeout: 240_000 }, () => {
  test('settlements of different kinds that are made together are each taken for what they are', async () => {
    const { server, transport } = await stage()
    const queue = server.namespace.createQueue('work')
    for (const text of ['done', 'back', 'dead', 'done too']) await transport.send(work, messageOf(text))
    const receiver = await transport.receive(work, { prefetch: 4, hold })
    const [done, back, dead, doneToo] = await gather(receiver, 4)
    if (!done || !back || !dead || !doneToo) throw new Error('Four were given.')
    await Promise.all([
      transport.settle(done, { kind: 'complete' }),
      transport.settle(back, { kind: 'release' }),
      transport.settle(dead, { kind: 'reject', failure }),
      transport.settle(doneToo, { kind: 'complete' }),
    ])
    expect([...queue.messages.from(0)].map(({ message }) => message.messageId)).toEqual(['back'])
    expect([...queue.deadLetters.from(0)].map(({ message }) => message.messageId)).toEqual(['dead'])
  })

  test.each([1, 37])('of many that are dead-lettered at once, each has its own reason, in steps of %i', async (step) => {
    const { server, transport } = await stage()
    server.namespace.createQueue('work')
    const count = 60
    for (let n = 0; n < count; n++) await transport.send(work, messageOf(String(n)))
    const taken = await gather(await transport.receive(work, { prefetch: count, hold }), count)
    const shuffled = taken.map((delivery, n) => ({ delivery, at: (n * step) % count })).sort((one, other) => one.at - other.at)
    await Promise.all(
      shuffled.map(({ delivery }) =>
        transport.settle(delivery, { kind: 'reject', failure: { ...failure, reason: `reason ${textOf(delivery)}` } }),
      ),
    )
    const { messages } = await transport.browse(grave, { limit: count })
    const reasons = messages.map(({ message }) => [
      Buffer.from(message.body ?? []).toString(),
      String(message.headers.find(([name]) => name === 'DeadLetterReason')?.[1]),
    ])
    expect(reasons).toHaveLength(count)
    expect(reasons.filter(([text, reason]) => reason !== `reason ${text}`)).toEqual([])
  })

  test('the bare SDK, asked for the same at once, completes what it was to abandon: so the pace is needed', async () => {
    const { server } = await stage()
    const queue = server.namespace.createQueue('work')
    const client = new ServiceBusClient(server.connectionString)
    open.push(client)
    await client.createSender('work').sendMessages([{ body: 'done' }, { body: 'back' }])
    const receiver = client.createReceiver('work')
    const [done, back] = await receiver.receiveMessages(2, { maxWaitTimeInMs: patience })
    if (!done || !back) throw new Error('Two were given.')
    await Promise.allSettled([receiver.completeMessage(done), receiver.abandonMessage(back)])
    expect(queue.messages.size).toBe(0)
  })

  test('what is in hand when the service detaches the link is settled all the same, and more comes', async () => {
    const { server, transport } = await stage()
    const queue = server.namespace.createQueue('work')
    await transport.send(work, messageOf('a', { key: 'customer-1' }))
    const receiver = await transport.receive(work, { prefetch: 1, hold })
    const [delivery] = await gather(receiver, 1)
    server.detach('work')
    await transport.send(work, messageOf('b'))
    const [next] = await gather(receiver, 1)
    expect(next && textOf(next)).toBe('b')
    if (delivery) await transport.settle(delivery, { kind: 'complete' })
    if (next) await transport.settle(next, { kind: 'reject', failure })
    expect([queue.messages.size, queue.deadLetters.size]).toEqual([0, 1])
  })

  test('what is in hand when the connection is cut is settled over the next one', async () => {
    const { server, transport } = await stage({ answerWithin: '12s' })
    const queue = server.namespace.createQueue('work')
    await transport.send(work, messageOf('a'))
    const receiver = await transport.receive(work, { prefetch: 1, hold })
    const [delivery] = await gather(receiver, 1)
    server.cut()
    if (!delivery) throw new Error('One was given.')
    await vi.waitFor(() => transport.settle(delivery, { kind: 'complete' }), patience)
    expect(queue.messages.size).toBe(0)
  })

  test('two messages of the same id are renewed apart: settling one does not let the other go', async () => {
    const { server, transport } = await stage()
    server.namespace.createQueue('work', { lockDuration: 20_000 })
    for (const body of ['a', 'b']) await transport.send(work, messageOf(body, { id: 'same' }))
    const receiver = await transport.receive(work, { prefetch: 2, hold })
    const [first, second] = await gather(receiver, 2)
    if (!first || !second) throw new Error('Two were given.')
    await transport.settle(first, { kind: 'complete' })
    expect(await receiver.take(1, 25_000)).toEqual([])
    await transport.settle(second, { kind: 'complete' })
  })

  test('an entity that does not exist, and one whose rights are missing, are told apart', async () => {
    const { transport } = await stage()
    await expect(transport.receive(work, { prefetch: 1, hold })).rejects.toMatchObject({ code: 'unknown-channel' })
    await expect(transport.send(work, messageOf('a'))).rejects.toMatchObject({ code: 'unknown-channel' })
    await expect(transport.measure(work)).rejects.toMatchObject({ code: 'unknown-channel' })
  })

  test('a throttled send is refused, and one whose answer is lost is unsure', async () => {
    const { server, transport } = await stage({ answerWithin: '12s' })
    server.namespace.createQueue('work')
    await transport.send(work, messageOf('first'))
    server.faults.throttle('send', 'work')
    await expect(transport.send(work, messageOf('a'))).rejects.toMatchObject({ code: 'refused' })
    const receiver = await transport.receive(work, { prefetch: 1, hold })
    const [delivery] = await gather(receiver, 1)
    server.faults.loseDisposition('work')
    if (delivery) await expect(transport.settle(delivery, { kind: 'complete' })).rejects.toMatchObject({ code: 'unsure' })
  })

  test('a dead letter that was refused stays ours, and can be tried again', async () => {
    const { server, transport } = await stage()
    const queue = server.namespace.createQueue('work')
    await transport.send(work, messageOf('a'))
    const receiver = await transport.receive(work, { prefetch: 1, hold })
    const [delivery] = await gather(receiver, 1)
    if (!delivery) throw new Error('One was given.')
    server.faults.throttle('settle', 'work')
    await expect(transport.settle(delivery, { kind: 'reject', failure })).rejects.toMatchObject({ code: 'refused' })
    await transport.settle(delivery, { kind: 'reject', failure })
    expect([queue.messages.size, queue.deadLetters.size]).toEqual([0, 1])
  })

  test('properties of every AMQP type survive a replay unchanged, and so do the bytes of the body', async () => {
    const { server, transport } = await stage()
    server.namespace.createQueue('work')
    server.namespace.createQueue('copy')
    const client = new ServiceBusClient(server.connectionString)
    open.push(client)
    const { types } = rhea
    const applicationProperties = {
      int: types.wrap_int(7),
      long: types.wrap_long(7),
      wide: types.wrap_long(Buffer.from('7fffffffffffffff', 'hex')),
      whole: types.wrap_double(2),
      float: types.wrap_float(1.5),
      short: types.wrap_short(-3),
      uint: types.wrap_uint(4_000_000_000),
      uuid: types.wrap_uuid(Buffer.alloc(16, 1)),
      when: new Date(0),
      text: 'plain',
      yes: true,
    }
    const body = Buffer.from('{ "id": 12345678901234567890, "b": 1.0 }')
    await client.createSender('work').sendMessages({ body, applicationProperties: applicationProperties as never })
    const [delivery] = await gather(await transport.receive(work, { prefetch: 1, hold }), 1)
    if (!delivery) throw new Error('One was given.')
    await transport.send({ name: 'copy' }, delivery.message)
    const [original] = server.namespace.queue('work')?.messages.from(0) ?? []
    const [copy] = server.namespace.queue('copy')?.messages.from(0) ?? []
    expect(copy?.message.body).toEqual(original?.message.body)
    expect(typesIn(copy?.message.applicationProperties)).toEqual(typesIn(original?.message.applicationProperties))
  })

  test('a subscription is received from, and a copy for it alone is refused with the reason', async () => {
    const { server, transport } = await stage()
    server.namespace.createTopic('orders')
    server.namespace.createSubscription('orders', 'billing')
    await transport.send({ name: 'orders' }, messageOf('a'))
    const billing = { name: 'orders', group: 'billing' }
    const [delivery] = await gather(await transport.receive(billing, { prefetch: 1, hold }), 1)
    if (delivery) await transport.settle(delivery, { kind: 'reject', failure })
    expect(await transport.measure({ ...billing, part: 'dead-letter' })).toMatchObject({ pending: 1 })
    await expect(transport.send(billing, messageOf('b'))).rejects.toMatchObject({
      code: 'unsupported',
      message: 'Service Bus cannot send to one subscription alone: a topic gives it to all of them.',
    })
  })

  test('what is sent back to the subscription that it died in goes to its topic', async () => {
    const { server, transport } = await stage()
    server.namespace.createTopic('orders')
    server.namespace.createSubscription('orders', 'billing')
    await transport.send({ name: 'orders/Subscriptions/billing' }, messageOf('again'))
    const [delivery] = await gather(await transport.receive({ name: 'orders', group: 'billing' }, { prefetch: 1, hold }), 1)
    expect(delivery && textOf(delivery)).toBe('again')
  })

  test.each([
    ['copy', ['no-copy-for-one']],
    ['abandon', []],
  ] as const)('a subscription whose retries are by %s has the findings %j', async (retry, expected) => {
    const { server, transport } = await stage({ retry })
    server.namespace.createTopic('orders')
    server.namespace.createSubscription('orders', 'billing')
    const found = await transport.provision(
      { channels: [{ address: { name: 'orders', group: 'billing' }, role: 'work' }] },
      'check',
    )
    expect(found.flatMap(({ severity, what }) => (severity === 'fatal' ? [what] : []))).toEqual(expected)
  })

  test('a sub-queue is named by its path where only a name can be given', async () => {
    const { server, transport } = await stage()
    server.namespace.createQueue('work')
    await transport.send(work, messageOf('a'))
    const [delivery] = await gather(await transport.receive(work, { prefetch: 1, hold }), 1)
    if (delivery) await transport.settle(delivery, { kind: 'reject', failure })
    const byPath = { name: 'work/$DeadLetterQueue' }
    expect([await transport.measure(byPath), await transport.measure(grave)]).toMatchObject([{ pending: 1 }, { pending: 1 }])
    expect((await transport.browse(byPath, { limit: 1 })).messages).toMatchObject([{ position: '1' }])
  })

  test.each([
    ['delivery-limit-low', { maxDeliveryCount: 12 }, 'warning'],
    ['duplicates-dropped', { maxDeliveryCount: 20, duplicateWindow: 60_000 }, 'fatal'],
    ['expiry-loses', { maxDeliveryCount: 20, ttl: 60_000 }, 'fatal'],
    ['sessions', { maxDeliveryCount: 20, requiresSession: true }, 'fatal'],
  ] as const)('a queue that would spoil it is found: %s', async (what, settings, severity) => {
    const { server, transport } = await stage()
    server.namespace.createQueue('work', settings)
    const findings = await transport.provision({ channels: [{ address: work, role: 'work', maxTurns: 3 }] }, 'check')
    expect(findings).toMatchObject([{ what, severity }])
  })

  test('a consumer that asks for two keeps nothing more from others', async () => {
    const { server, transport } = await stage()
    const queue = server.namespace.createQueue('work')
    for (const text of ['a', 'b', 'c', 'd']) await transport.send(work, messageOf(text))
    const small = await gather(await transport.receive(work, { prefetch: 100, hold }), 2)
    expect([...queue.messages.from(0)].filter(({ lock }) => lock)).toHaveLength(2)
    const rest = await gather(await transport.receive(work, { prefetch: 100, hold }), 2)
    expect([...small, ...rest].map(textOf)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('what could not be given back comes again when its lock ends, and is not kept by who has closed', async () => {
    const { server, transport } = await stage({ answerWithin: '5s' })
    const queue = server.namespace.createQueue('work', { lockDuration: 5_000 })
    await transport.send(work, messageOf('given'))
    const closes = await transport.receive(work, { prefetch: 10, hold })
    for (const given of await closes.take(10, patience)) await transport.settle(given, { kind: 'complete' })
    await transport.send(work, messageOf('buffered'))
    await vi.waitFor(() => expect([...queue.messages.from(0)].filter(({ lock }) => lock)).toHaveLength(1), patience)
    server.faults.throttle('settle', 'work', 1)
    await closes.close()
    const [again] = await gather(await transport.receive(work, { prefetch: 10, hold }), 1)
    expect(again && textOf(again)).toBe('buffered')
    if (again) await transport.settle(again, { kind: 'complete' })
    expect(queue.messages.size).toBe(0)
  })

  describe('many more than a link has room for', () => {
    const many = 5_000

    /** A first message in hand, and all the others behind it in the queue. */
    async function firstOfMany(lockDuration?: number) {
      const { server, transport } = await stage()
      const queue = server.namespace.createQueue('work', lockDuration === undefined ? {} : { lockDuration })
      await transport.send(work, messageOf('first'))
      const receiver = await transport.receive(work, { prefetch: 100, hold })
      const [first] = await gather(receiver, 1)
      if (!first) throw new Error('One was given.')
      const client = new ServiceBusClient(server.connectionString)
      open.push(client)
      const others = Array.from({ length: many - 1 }, (_, n) => ({ body: Buffer.from(String(n)) }))
      const sendOthers = () => client.createSender('work').sendMessages(others)
      return { queue, transport, receiver, first, sendOthers }
    }

    /** Until nothing comes for a while. */
    async function completeAll(transport: Transport, receiver: Receiver): Promise<number> {
      let count = 0
      while (count < many - 1) {
        const taken = await receiver.take(100, 10_000)
        if (taken.length === 0) return count
        await Promise.all(taken.map((one) => transport.settle(one, { kind: 'complete' })))
        count += taken.length
      }
      return count
    }

    test('come past one that stays in hand, which can be settled in the end', async () => {
      const { queue, transport, receiver, first, sendOthers } = await firstOfMany()
      await sendOthers()
      expect(await completeAll(transport, receiver)).toBe(many - 1)
      await transport.settle(first, { kind: 'complete' })
      expect(queue.messages.size).toBe(0)
    })

    test('come past one whose lock was lost', async () => {
      const { queue, transport, receiver, first, sendOthers } = await firstOfMany(5_000)
      // Somebody else is done with it: had it come again, the suspect would have had all links made anew.
      for (const entry of queue.messages.from(0)) queue.messages.remove(entry)
      await vi.waitFor(() => expect(first.hold.signal.aborted).toBe(true), { timeout: patience })
      await sendOthers()
      expect(await completeAll(transport, receiver)).toBe(many - 1)
    })
  })

  test('a suspect that goes back, from a handler or from the buffer behind another one, stays a suspect with the same turns', async () => {
    const { server, transport } = await stage()
    const queue = server.namespace.createQueue('work')
    for (const text of ['a', 'b']) await transport.send(work, messageOf(text))
    for (const entry of queue.messages.from(0)) entry.deliveryCount = 3
    const receiver = await transport.receive(work, { prefetch: 100, hold })
    const seen: unknown[] = []
    for (const kind of ['release', 'complete', 'complete'] as const) {
      const [delivery, ...others] = await receiver.take(10, patience)
      if (!delivery) throw new Error('Nothing came.')
      seen.push([textOf(delivery), delivery.suspect, delivery.turns, others.length])
      await transport.settle(delivery, { kind })
    }
    expect(seen.sort()).toEqual([
      ['a', true, 2, 0],
      ['a', true, 2, 0],
      ['b', true, 2, 0],
    ])
  })

  test('a suspect is alone in our hands, at the broker too, and nobody else is suspected for it', async () => {
    const { server, transport } = await stage()
    const queue = server.namespace.createQueue('work')
    const locked = () => [...queue.messages.from(0)].filter(({ lock }) => lock).map(({ sequence }) => sequence)
    for (const text of ['killer', 'b', 'c']) await transport.send(work, messageOf(text))
    const [killer] = queue.messages.from(0)
    if (killer) killer.deliveryCount = 1
    const receiver = await transport.receive(work, { prefetch: 100, hold })
    const alone = await receiver.take(10, patience)
    expect(alone.map((delivery) => [textOf(delivery), delivery.suspect])).toEqual([['killer', true]])
    expect(locked()).toEqual([killer?.sequence])
    for (const delivery of alone) await transport.settle(delivery, { kind: 'complete' })
    const rest = await gather(receiver, 2)
    expect(rest.map((delivery) => [textOf(delivery), delivery.suspect, delivery.turns]).sort()).toEqual([
      ['b', false, 0],
      ['c', false, 0],
    ])
  })

  test('a suspect of a session that stays in hand, as a letter that cannot be written does, keeps nothing behind it from us', async () => {
    const { server, transport } = await stage({ sessions: true })
    const queue = server.namespace.createQueue('work', { requiresSession: true })
    for (const text of ['suspect', 'b', 'c']) await transport.send(work, messageOf(text, { key: 'red' }))
    const [suspect] = queue.messages.from(0)
    if (suspect) suspect.deliveryCount = 1
    const receiver = await transport.receive(work, { prefetch: 100, hold })
    const alone = await receiver.take(10, patience)
    expect(alone.map((delivery) => [textOf(delivery), delivery.suspect])).toEqual([['suspect', true]])
    expect((await gather(receiver, 2)).map(textOf)).toEqual(['b', 'c'])
  })
})

function typesIn(section: Buffer | undefined): Record<string, string> {
  const { Reader } = rhea.types as unknown as {
    Reader: new (bytes: Buffer) => { read(): { value: { value: unknown; type: { name: string } }[] } }
  }
  const flat = section ? new Reader(section).read().value : []
  const entries = flat.flatMap((name, index) => (index % 2 === 0 ? [[String(name.value), flat[index + 1]?.type.name ?? '']] : []))
  return Object.fromEntries(entries.filter(([name = '']) => !name.startsWith('redrive-')))
}
