import { ServiceBusClient } from '@azure/service-bus'
import rhea from 'rhea'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { failure } from '../../../test/servicebus/failure.ts'
import { type ServiceBusServer, startServer } from '../../../test/servicebus/server.ts'
import { ServiceError } from '../../../test/servicebus/service-error.ts'
import { readLetter } from '../../core/dialects/read-letter.ts'
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

  test('what the service knows of a message that it dead-lettered itself, and of one that another consumer did, is read', async () => {
    const { server, transport } = await stage()
    const queue = server.namespace.createQueue('work', { maxDeliveryCount: 2 })
    const client = new ServiceBusClient(server.connectionString)
    open.push(client)
    await client.createSender('work').sendMessages([{ body: 'returned' }, { body: 'refused' }])
    const receiver = client.createReceiver('work')
    const take = async () => {
      const [received] = await receiver.receiveMessages(1, { maxWaitTimeInMs: patience })
      if (!received) throw new Error('There is one.')
      return received
    }
    for (let turn = 0; turn < 2; turn++) await receiver.abandonMessage(await take())
    await receiver.deadLetterMessage(await take(), { deadLetterReason: 'NoStock', deadLetterErrorDescription: 'none' })
    const sent = [...queue.deadLetters.from(0)].map(({ enqueuedAt }) => enqueuedAt)
    const { messages } = await transport.browse(grave, { limit: 2 })
    const taken = await gather(await transport.receive(grave, { prefetch: 2, hold }), 2)
    for (const letters of [messages, taken]) {
      const read = letters.map(({ message }) => readLetter({ channel: 'work', message }).failure)
      expect(read).toMatchObject([
        { source: { position: '1' }, deliveries: 2, firstSeenAt: sent[0] },
        { source: { position: '2' }, deliveries: 1, firstSeenAt: sent[1] },
      ])
    }
  })

  test('a letter that is forwarded from its sub-queue tells its source, and nothing that is only of its copy', async () => {
    const { server, transport } = await stage()
    server.namespace.createQueue('graveyard')
    server.namespace.createQueue('work', { forwardDeadLettersTo: 'graveyard' })
    await transport.send(work, messageOf('a'))
    const [dead] = await gather(await transport.receive(work, { prefetch: 1, hold }), 1)
    if (dead) await transport.settle(dead, { kind: 'reject', failure })
    const [letter] = await gather(await transport.receive({ name: 'graveyard' }, { prefetch: 1, hold }), 1)
    expect(letter?.message.native?.properties).toEqual({ bodyType: 'data', deadLetterSource: 'work' })
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

  test.each([
    ['amqp:not-allowed', 'refused'],
    ['amqp:not-implemented', 'refused'],
    ['amqp:precondition-failed', 'refused'],
    ['amqp:decode-error', 'refused'],
    ['amqp:invalid-field', 'refused'],
    ['com.microsoft:argument-error', 'refused'],
    ['com.microsoft:argument-out-of-range', 'refused'],
    ['amqp:internal-error', 'unsure'],
  ])(
    'a send that the service answers with %s is %s, and what the service said about it is not shown',
    async (condition, code) => {
      const { server, transport } = await stage()
      server.namespace.createQueue('work')
      server.faults.reject('send', 'work', new ServiceError(condition, 'InvalidOperationError: the body was "secret".'))
      const error: Error = await transport.send(work, messageOf('a')).then(
        () => new Error('It was sent.'),
        (thrown) => thrown,
      )
      expect(error).toMatchObject({ code })
      expect(error.message).not.toContain('secret')
    },
  )

  test('a message that AMQP cannot hold is refused alone, and those that are sent with it and after it arrive', async () => {
    const { server, transport } = await stage()
    const queue = server.namespace.createQueue('work')
    const native = { transport: 'servicebus', properties: { groupSequence: -1 } }
    const together = ['a', 'b'].map((text) => transport.send(work, messageOf(text)))
    await expect(transport.send(work, messageOf('broken', { native }))).rejects.toMatchObject({ code: 'bad-message' })
    await Promise.all([...together, transport.send(work, messageOf('c'))])
    expect([...queue.messages.from(0)].map(({ message }) => message.messageId)).toEqual(['a', 'b', 'c'])
  })

  test.each([
    ['one that fits without a batch around it is sent', 220, 2],
    ['one that does not is told so', 230, 1],
  ])('of large messages with large headers, %s', async (_, kibibytes, arrive) => {
    const { server, transport } = await stage({ maxBody: '240KiB' })
    const queue = server.namespace.createQueue('work')
    const headers = [['long', 'x'.repeat(32 * 1024 - 100)]] as const
    const large = transport.send(work, { id: 'large', body: Buffer.alloc(kibibytes * 1024), headers })
    const small = transport.send(work, messageOf('small'))
    if (arrive === 1) await expect(large).rejects.toMatchObject({ code: 'too-large' })
    await Promise.all(arrive === 1 ? [small] : [large, small])
    expect(queue.messages.size).toBe(arrive)
  })

  test('an entity that takes far larger messages gets them, and no batch that is larger than the service allows', async () => {
    const { server, transport } = await stage({ maxBody: '4MiB' })
    const queue = server.namespace.createQueue('work', { maxMessageSize: 100 * 1024 * 1024 })
    const sizes = [...Array.from({ length: 30 }, () => 100 * 1024), 3 * 1024 * 1024]
    await Promise.all(sizes.map((size, n) => transport.send(work, { id: String(n), body: Buffer.alloc(size), headers: [] })))
    expect(queue.messages.size).toBe(sizes.length)
  })

  describe('messages of several keys that are sent together', () => {
    const withKeys = (keys: readonly string[], name: string): Message[] =>
      keys.map((key, n) => messageOf(`${name}${n} of ${key}`, key === 'none' ? {} : { key }))

    /** How many messages came by each transfer. */
    async function partitionedStage(partitioned: boolean) {
      const { server, transport } = await stage()
      const queue = server.namespace.createQueue('work', { partitioned })
      const transfers = vi.spyOn(server.namespace, 'sendAll')
      const sizes = () => transfers.mock.calls.splice(0).map(([, messages]) => messages.length)
      const ids = () => [...queue.messages.from(0)].map(({ message }) => message.messageId)
      const sendAll = (messages: readonly Message[]) => Promise.allSettled(messages.map((each) => transport.send(work, each)))
      return { server, sizes, ids, sendAll }
    }

    test('go in one batch where the entity takes it', async () => {
      const { sizes, ids, sendAll } = await partitionedStage(false)
      await sendAll(withKeys(['red', 'blue', 'none', 'red'], 'a'))
      expect([sizes(), ids()]).toEqual([[4], ['a0 of red', 'a1 of blue', 'a2 of none', 'a3 of red']])
    })

    test('go in batches of one key each where it is partitioned, without another try from then on', async () => {
      const { sizes, ids, sendAll } = await partitionedStage(true)
      await sendAll(withKeys(['red', 'blue', 'none', 'red', 'none'], 'a'))
      expect(ids()).toEqual(['a0 of red', 'a3 of red', 'a1 of blue', 'a2 of none', 'a4 of none'])
      expect(sizes()).toEqual([5, 2, 1, 2])
      await sendAll(withKeys(['red', 'none', 'none', 'red', 'none'], 'b'))
      expect(sizes()).toEqual([2, 3])
    })

    test('go in one batch again when it was refused for something else', async () => {
      const { server, sizes, ids, sendAll } = await partitionedStage(false)
      server.faults.reject('send', 'work', new ServiceError('amqp:not-allowed', 'This one is not taken.'), 2)
      const outcomes = await sendAll(withKeys(['red', 'blue', 'none'], 'a'))
      expect(outcomes).toMatchObject([{ reason: { code: 'refused' } }, { status: 'fulfilled' }, { status: 'fulfilled' }])
      expect([sizes(), ids()]).toEqual([[2], ['a1 of blue', 'a2 of none']])
    })

    test('are not sent again where it is not certain that nothing was written, nor where the service has too much to do', async () => {
      const { server, ids, sendAll } = await partitionedStage(false)
      server.faults.reject('send', 'work', new ServiceError('amqp:internal-error', 'It failed.'))
      const unsure = { reason: { code: 'unsure' } }
      expect(await sendAll(withKeys(['red', 'blue'], 'a'))).toMatchObject([unsure, unsure])
      server.faults.throttle('send', 'work')
      const refused = { reason: { code: 'refused' } }
      expect(await sendAll(withKeys(['red', 'blue'], 'a'))).toMatchObject([refused, refused])
      expect(ids()).toEqual([])
    })
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

  test('a queue that would drop replays is warned of where retries are no copies', async () => {
    const { server, transport } = await stage({ retry: 'abandon' })
    server.namespace.createQueue('work', { maxDeliveryCount: 20, duplicateWindow: 60_000 })
    const findings = await transport.provision({ channels: [{ address: work, role: 'work', maxTurns: 3 }] }, 'check')
    expect(findings).toMatchObject([{ what: 'duplicates-dropped', severity: 'warning' }])
  })

  test.each([
    [0, []],
    [60_000, [{ what: 'duplicates-dropped', severity: 'warning' }]],
  ])(
    'replays of a subscription go to its topic, whose detection of duplicates for %i ms is found: %j',
    async (duplicateWindow, expected) => {
      const { server, transport } = await stage({ retry: 'abandon' })
      server.namespace.createTopic('orders', { duplicateWindow })
      server.namespace.createSubscription('orders', 'billing')
      const findings = await transport.provision(
        { channels: [{ address: { name: 'orders', group: 'billing' }, role: 'work' }] },
        'check',
      )
      expect(findings).toMatchObject(expected)
    },
  )

  describe('what another replica made between the look and the creation', () => {
    test('is no failure, and what is wrong with it is found', async () => {
      const { server, transport } = await stage()
      server.namespace.createQueue('work', { maxDeliveryCount: 12 })
      vi.spyOn(server.namespace, 'queue').mockReturnValueOnce(undefined)
      const findings = await transport.provision({ channels: [{ address: work, role: 'work', maxTurns: 3 }] }, 'apply')
      expect(findings).toMatchObject([{ what: 'delivery-limit-low' }])
    })

    test('is no failure when it is the topic of a subscription that is still to be made', async () => {
      const { server, transport } = await stage({ retry: 'abandon' })
      server.namespace.createTopic('orders')
      // It is looked for as the subscription, and then as the topic.
      vi.spyOn(server.namespace, 'topic').mockReturnValueOnce(undefined).mockReturnValueOnce(undefined)
      const billing = { name: 'orders', group: 'billing' }
      const findings = await transport.provision({ channels: [{ address: billing, role: 'work' }] }, 'apply')
      expect(findings).toMatchObject([{ severity: 'created', address: billing }])
    })
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
    async function firstOfMany({ lockDuration = 60_000, sessions = false } = {}) {
      const { server, transport } = await stage({ sessions })
      const queue = server.namespace.createQueue('work', { lockDuration, requiresSession: sessions })
      const inSession = sessions ? { sessionId: 'red' } : {}
      await transport.send(work, messageOf('first', sessions ? { key: 'red' } : {}))
      const receiver = await transport.receive(work, { prefetch: 100, hold })
      const [first] = await gather(receiver, 1)
      if (!first) throw new Error('One was given.')
      const client = new ServiceBusClient(server.connectionString)
      open.push(client)
      const others = Array.from({ length: many - 1 }, (_, n) => ({ body: Buffer.from(String(n)), ...inSession }))
      const sender = client.createSender('work')
      const sendOthers = async () => {
        for (let from = 0; from < others.length; from += 1_000) await sender.sendMessages(others.slice(from, from + 1_000))
      }
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

    test.each([
      ['a queue', false],
      ['a session', true],
    ])('come by %s past one that stays in hand, which can be settled in the end', async (_, sessions) => {
      const { queue, transport, receiver, first, sendOthers } = await firstOfMany({ sessions })
      await sendOthers()
      expect(await completeAll(transport, receiver)).toBe(many - 1)
      await transport.settle(first, { kind: 'complete' })
      expect(queue.messages.size).toBe(0)
    })

    test('come past one whose lock was lost', async () => {
      const { queue, transport, receiver, first, sendOthers } = await firstOfMany({ lockDuration: 5_000 })
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

  test('whoever stops while its process is too busy to see its links drained keeps the session of what is in hand', async () => {
    const { server, transport } = await stage({ sessions: true })
    const queue = server.namespace.createQueue('work', { requiresSession: true })
    await transport.send(work, messageOf('a', { key: 'red' }))
    const receiver = await transport.receive(work, { prefetch: 10, hold })
    const [delivery] = await receiver.take(10, patience)
    if (!delivery) throw new Error('One was given.')
    const closing = receiver.close()
    // For longer than the SDK waits.
    for (const until = performance.now() + 300; performance.now() < until; );
    await closing
    await transport.settle(delivery, { kind: 'complete' })
    expect(queue.messages.size).toBe(0)
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
