import { ServiceBusClient as Sdk, type ServiceBusClient, type ServiceBusReceivedMessage } from '@azure/service-bus'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { PermanentError } from '../../src/core/tagged-errors.ts'
import { text } from '../../src/runtime/codec.ts'
import { type Consumer, createConsumer } from '../../src/runtime/consumer.ts'
import type { Context } from '../../src/runtime/context.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import { fromConnector } from '../../src/transports/servicebus/connector.ts'
import { servicebus } from '../../src/transports/servicebus/servicebus.ts'
import { type ServiceBusServer, startServer } from '../servicebus/server.ts'

/** Nothing takes this long unless it never comes. */
const patience = 100_000
const Invoice = defineMessage<string>('invoice', undefined, { codec: text })

let server: ServiceBusServer
let sdk: ServiceBusClient
let queues = 0
const running: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  server = await startServer()
  sdk = new Sdk(server.connectionString)
})

afterAll(async () => {
  await Promise.all(running.map((each) => each.stop()))
  await sdk.close()
  await server.stop()
})

interface Stage {
  readonly queue: string
  readonly runs: string[]
  readonly consumer: Consumer
  /** As a program of somebody else would send it. */
  put(...bodies: string[]): Promise<void>
  /** What stands in the dead-letter sub-queue, looked at with the bare SDK. */
  letters(count: number): Promise<ServiceBusReceivedMessage[]>
  /** How many messages are left in the queue. */
  left(count: number): Promise<void>
}

/** Seed 001's configuration block, with the queue of this test. */
async function open(handle: (body: string, ctx: Context) => unknown, maxDeliveryCount = 3): Promise<Stage> {
  const queue = `invoices-${++queues}`
  server.namespace.createQueue(queue, { maxDeliveryCount: 20 })
  const { transport: options, channel } = fromConnector({
    ConnectionString: server.connectionString,
    QueueName: queue,
    PrefetchCount: 16,
    MaxConcurrentCalls: 5,
    MaxWaitTime: '00:00:05',
    MaxDeliveryCount: maxDeliveryCount,
    AutoComplete: false,
    ReceiveMode: 'PeekLock',
  })
  const transport = servicebus({ ...options, adminEndpoint: server.adminEndpoint })
  const consumer = createConsumer({ transport, service: 'invoices', provision: 'check', logger: false })
  const runs: string[] = []
  const all = { ...channel.options, breaker: false, resolveType: () => 'invoice' } as const
  consumer.channel(channel.name, all).on(Invoice, (body, ctx) => {
    runs.push(body)
    return handle(body, ctx) as Promise<void>
  })
  running.push({ stop: () => consumer.stop().then(() => transport.close()) })
  await consumer.start()
  const sender = sdk.createSender(queue)
  return {
    queue,
    runs,
    consumer,
    put: (...bodies) => sender.sendMessages(bodies.map((body) => ({ body: Buffer.from(body), messageId: body }))),
    letters: (count) =>
      vi.waitFor(async () => {
        const found = await lettersOf(queue)
        expect(found).toHaveLength(count)
        return found
      }, patience),
    left: (count) => vi.waitFor(() => expect(server.namespace.queue(queue)?.messages.size).toBe(count), patience),
  }
}

/** With a client of its own: peeking goes on from where the same client stopped before. */
async function lettersOf(queue: string): Promise<ServiceBusReceivedMessage[]> {
  const looking = new Sdk(server.connectionString)
  try {
    return await looking.createReceiver(queue, { subQueueType: 'deadLetter' }).peekMessages(100)
  } finally {
    await looking.close()
  }
}

const unavailable = (): never => {
  throw new Error('The connection to the database was refused')
}
const badRequest = (): never => {
  throw new Error('Bad request: the invoice has no customer')
}

describe('seed 001 on Service Bus, by its own configuration block', { timeout: 360_000 }, () => {
  test('seed 001 integration: successful processing → complete', async () => {
    const { put, letters, left, runs } = await open(() => {})
    await put('a', 'b')
    await left(0)
    expect(runs.sort()).toEqual(['a', 'b'])
    await letters(0)
  })

  test('seed 001 integration: retryable error with all retries used → dead-letter queue', async () => {
    const { put, letters, left, runs } = await open(unavailable)
    await put('a')
    const [letter] = await letters(1)
    expect(runs).toEqual(['a', 'a', 'a'])
    expect([letter?.messageId, letter?.deadLetterReason]).toEqual(['a', 'MaxDeliveryCountExceeded'])
    expect(letter?.deadLetterErrorDescription).toContain('The connection to the database was refused')
    await left(0)
  })

  test('seed 001 integration: non-retryable error → dead-letter queue', async () => {
    const { put, letters, runs } = await open(badRequest)
    await put('a')
    const [letter] = await letters(1)
    expect(runs).toEqual(['a'])
    expect(letter?.deadLetterReason).toBe('NonRetryableError')
    expect(letter?.deadLetterErrorDescription).toContain('Bad request')
  })

  test('seed 001 integration: poison message → dead-letter queue, without a run', async () => {
    const queue = `poisoned-${++queues}`
    server.namespace.createQueue(queue, { maxDeliveryCount: 20 })
    await sdk.createSender(queue).sendMessages({ body: Buffer.from('poison'), messageId: 'poison' })
    const bare = sdk.createReceiver(queue)
    for (let delivery = 1; delivery <= 3; delivery++) {
      const [message] = await bare.receiveMessages(1, { maxWaitTimeInMs: patience })
      if (message) await bare.abandonMessage(message)
    }
    await bare.close()
    const { transport: options, channel } = fromConnector({ ConnectionString: server.connectionString, QueueName: queue })
    const transport = servicebus({ ...options, adminEndpoint: server.adminEndpoint })
    const consumer = createConsumer({ transport, service: 'invoices', provision: 'check', logger: false })
    const runs: string[] = []
    consumer
      .channel(channel.name, { ...channel.options, resolveType: () => 'invoice' })
      .on(Invoice, (body) => void runs.push(body))
    running.push({ stop: () => consumer.stop().then(() => transport.close()) })
    await consumer.start()
    const [letter] = await vi.waitFor(async () => {
      const found = await lettersOf(queue)
      expect(found).toHaveLength(1)
      return found
    }, patience)
    expect(runs).toEqual([])
    expect(letter?.deadLetterReason).toBe('PoisonMessage')
    expect(letter?.deadLetterErrorDescription).toBe('Message exceeded maximum delivery count of 3')
  })

  test('seed 001 integration: several messages with different outcomes', async () => {
    const { put, letters, left } = await open((body) => {
      if (body.startsWith('bad')) badRequest()
      if (body.startsWith('down')) unavailable()
    })
    await put('good-1', 'bad-1', 'down-1', 'good-2', 'bad-2')
    const found = await letters(3)
    expect(Object.fromEntries(found.map(({ messageId, deadLetterReason }) => [messageId, deadLetterReason]))).toEqual({
      'bad-1': 'NonRetryableError',
      'bad-2': 'NonRetryableError',
      'down-1': 'MaxDeliveryCountExceeded',
    })
    await left(0)
  })

  test('a handler may dead-letter with a reason of its own', async () => {
    const { put, letters } = await open((_, ctx) => ctx.deadLetter('CustomBusinessRule', 'Message violates business policy XYZ'))
    await put('a')
    const [letter] = await letters(1)
    expect([letter?.deadLetterReason, letter?.deadLetterErrorDescription]).toEqual([
      'CustomBusinessRule',
      'Message violates business policy XYZ',
    ])
  })

  test('a retry is an abandon: the service counts it, and nothing is copied', async () => {
    const counts: number[] = []
    const { put, queue, left } = await open((_, ctx) => {
      counts.push(ctx.deliveries)
      if (counts.length < 3) unavailable()
    })
    await put('a')
    await left(0)
    expect(counts).toEqual([1, 2, 3])
    expect(server.namespace.queue(queue)?.deadLetters.size).toBe(0)
  })

  test('dead letters are read with the SDK and sent back, byte for byte, with the types of their properties', async () => {
    let broken = true
    const { put, letters, queue, left, runs } = await open(() => {
      if (broken) throw new PermanentError('The parser is broken')
    })
    await put('{ "id": 12345678901234567890 }')
    const [letter] = await letters(1)
    broken = false
    const redriver = servicebus({ connectionString: server.connectionString, adminEndpoint: server.adminEndpoint })
    const receiver = await redriver.receive({ name: queue, part: 'dead-letter' }, { prefetch: 1, hold: 30_000 })
    const [delivery] = await receiver.take(1, patience)
    if (!delivery) throw new Error('The letter did not come.')
    await redriver.send({ name: queue }, delivery.message)
    await redriver.settle(delivery, { kind: 'complete' })
    await redriver.close()
    await left(0)
    await letters(0)
    expect(runs).toEqual([String(letter?.messageId), String(letter?.messageId)])
  })
})

describe('the configuration block of seed 001', () => {
  const block = { ConnectionString: 'Endpoint=sb://a;SharedAccessKeyName=b;SharedAccessKey=c', QueueName: 'invoices' }

  test('is taken as it stands, with its defaults', () => {
    expect(fromConnector(block).channel).toMatchObject({
      name: 'invoices',
      options: { prefetch: 16, concurrency: 5, maxDeliveryCount: 3, poison: 'deliveries' },
    })
  })

  test('AutoComplete and ReceiveAndDelete are refused, with the reason', () => {
    expect(() => fromConnector({ ...block, AutoComplete: true })).toThrow(/AutoComplete must be false: .* nothing reaches/)
    expect(() => fromConnector({ ...block, ReceiveMode: 'ReceiveAndDelete' })).toThrow(/must be "PeekLock": .* a crash loses it/)
  })

  test('a name that nobody knows is refused, with the one that was probably meant', () => {
    const wrong = { ...block, PrefetchCont: 3 } as Parameters<typeof fromConnector>[0]
    expect(() => fromConnector(wrong)).toThrow(expect.objectContaining({ code: 'unknown-option' }))
  })
})
