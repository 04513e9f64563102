import { ServiceBusClient, type ServiceBusReceivedMessage, type ServiceBusReceiver } from '@azure/service-bus'
import { afterEach, describe, expect, test } from 'vitest'
import { type ServerOptions, type ServiceBusServer, startServer } from './server.ts'
import { ServiceError } from './service-error.ts'

/** Nothing takes this long unless it never comes. */
const patience = 100_000
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

async function stage(options: ServerOptions = {}): Promise<{ server: ServiceBusServer; client: ServiceBusClient }> {
  const server = await startServer(options)
  const client = new ServiceBusClient(server.connectionString, { retryOptions: { maxRetries: 0, timeoutInMs: patience } })
  open.push({ close: () => server.stop() }, client)
  return { server, client }
}

async function one(receiver: ServiceBusReceiver): Promise<ServiceBusReceivedMessage> {
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: patience })
  if (!message) throw new Error('No message came.')
  return message
}

/** The SDK itself waits this long for messages that are not there. */
const nothing = { maxWaitTimeInMs: 200 }

describe('the test server, by the unmodified SDK', { timeout: 240_000 }, () => {
  test('gives what was sent, single or in a batch, and completes it', async () => {
    const { server, client } = await stage()
    server.namespace.createQueue('work')
    await client.createSender('work').sendMessages({ body: 'a', messageId: '1' })
    await client.createSender('work').sendMessages([
      { body: 'b', messageId: '2' },
      { body: 'c', messageId: '3' },
    ])
    const receiver = client.createReceiver('work')
    const bodies: unknown[] = []
    while (bodies.length < 3) {
      const message = await one(receiver)
      bodies.push(message.body)
      await receiver.completeMessage(message)
    }
    expect(bodies).toEqual(['a', 'b', 'c'])
    expect(await receiver.receiveMessages(1, nothing)).toEqual([])
  })

  test('counts an abandoned delivery, keeps what was changed on it, and gives up at the maximum', async () => {
    const { server, client } = await stage()
    server.namespace.createQueue('work', { maxDeliveryCount: 2 })
    await client.createSender('work').sendMessages({ body: 'a' })
    const receiver = client.createReceiver('work')
    const first = await one(receiver)
    await receiver.abandonMessage(first, { stage: 'two' })
    const second = await one(receiver)
    expect([first.deliveryCount, second.deliveryCount, second.applicationProperties]).toEqual([0, 1, { stage: 'two' }])
    await receiver.abandonMessage(second)
    const letter = await one(client.createReceiver('work', { subQueueType: 'deadLetter' }))
    expect([letter.deadLetterReason, letter.deliveryCount]).toEqual(['MaxDeliveryCountExceeded', 2])
  })

  test('dead-letters with a reason, a description and properties, and keeps the sequence number', async () => {
    const { server, client } = await stage()
    server.namespace.createQueue('work')
    await client.createSender('work').sendMessages({ body: 'a' })
    const receiver = client.createReceiver('work')
    const message = await one(receiver)
    await receiver.deadLetterMessage(message, { deadLetterReason: 'R', deadLetterErrorDescription: 'D', more: 1 })
    const letter = await one(client.createReceiver('work', { subQueueType: 'deadLetter' }))
    expect([letter.deadLetterReason, letter.deadLetterErrorDescription, letter.applicationProperties?.['more']]).toEqual([
      'R',
      'D',
      1,
    ])
    expect(String(letter.sequenceNumber)).toBe(String(message.sequenceNumber))
  })

  test('takes a lock away when its time is over, also by a clock that is put forward', async () => {
    const { server, client } = await stage()
    server.namespace.createQueue('work', { lockDuration: 300_000 })
    await client.createSender('work').sendMessages({ body: 'a' })
    const receiver = client.createReceiver('work', { maxAutoLockRenewalDurationInMs: 0 })
    const message = await one(receiver)
    // What is left of it then is what a slow machine may take.
    server.clock.advance(200_000)
    await receiver.renewMessageLock(message)
    server.clock.advance(200_000)
    expect(await receiver.receiveMessages(1, nothing)).toEqual([])
    server.clock.advance(100_001)
    await expect(receiver.completeMessage(message)).rejects.toMatchObject({ code: 'MessageLockLost' })
    expect((await one(receiver)).deliveryCount).toBe(1)
  })

  test('holds scheduled messages back, and gives deferred ones by their number', async () => {
    const { server, client } = await stage()
    server.namespace.createQueue('work')
    const inAnHour = new Date(server.clock.now() + 3_600_000)
    await client.createSender('work').sendMessages({ body: 'later', scheduledEnqueueTimeUtc: inAnHour })
    const receiver = client.createReceiver('work')
    expect(await receiver.receiveMessages(1, nothing)).toEqual([])
    server.clock.advance(3_600_001)
    const message = await one(receiver)
    await receiver.deferMessage(message)
    expect(await receiver.receiveMessages(1, nothing)).toEqual([])
    const [deferred] = await receiver.receiveDeferredMessages(message.sequenceNumber ?? [])
    expect(deferred?.body).toBe('later')
  })

  test('expires a message when somebody receives, and not before', async () => {
    const { server, client } = await stage()
    const { messages, deadLetters } = server.namespace.createQueue('work', { ttl: 1_000, deadLetterOnExpiry: true })
    await client.createSender('work').sendMessages({ body: 'a' })
    server.clock.advance(5_000)
    expect([messages.size, deadLetters.size]).toEqual([1, 0])
    expect(await client.createReceiver('work').receiveMessages(1, nothing)).toEqual([])
    expect([messages.size, deadLetters.size]).toEqual([0, 1])
  })

  test('a receiver whose session has ended gets nothing more, and the next one has all of it', async () => {
    const { server, client } = await stage()
    server.namespace.createQueue('work', { requiresSession: true })
    const sender = client.createSender('work')
    await sender.sendMessages({ body: 'a1', sessionId: 'a' })
    const late = await client.acceptNextSession('work')
    await one(late)
    const ended = new Promise<string>((resolve) => {
      late.subscribe({ processMessage: async () => {}, processError: async ({ error }) => resolve(String(error)) })
    })
    server.namespace.store('work').queue.sessions.endAll()
    expect(await ended).toContain('The session lock was lost')
    await sender.sendMessages({ body: 'a2', sessionId: 'a' })
    const next = await client.acceptNextSession('work')
    const bodies: unknown[] = []
    for (const _ of [1, 2]) {
      const message = await one(next)
      bodies.push(message.body)
      await next.completeMessage(message)
    }
    expect(bodies).toEqual(['a1', 'a2'])
  })

  test('gives a session to one receiver at a time, in order', async () => {
    const { server, client } = await stage()
    server.namespace.createQueue('work', { requiresSession: true })
    await client.createSender('work').sendMessages(['a1', 'b1', 'a2'].map((body) => ({ body, sessionId: body.slice(0, 1) })))
    const first = await client.acceptNextSession('work')
    const second = await client.acceptNextSession('work')
    expect([first.sessionId, second.sessionId]).toEqual(['a', 'b'])
    await expect(client.acceptSession('work', 'a')).rejects.toMatchObject({ code: 'SessionCannotBeLocked' })
    expect([(await one(first)).body, (await one(first)).body]).toEqual(['a1', 'a2'])
    await first.setSessionState('half way')
    expect(String(await first.getSessionState())).toBe('half way')
  })

  test('gives a topic to every subscription whose filter wants it', async () => {
    const { server, client } = await stage()
    server.namespace.createTopic('orders')
    server.namespace.createSubscription('orders', 'all')
    server.namespace.createSubscription('orders', 'north', { filter: { properties: { region: 'north' } } })
    const sender = client.createSender('orders')
    await sender.sendMessages({ body: 'a', applicationProperties: { region: 'north' } })
    await sender.sendMessages({ body: 'b', applicationProperties: { region: 'south' } })
    const all = client.createReceiver('orders', 'all')
    expect([(await one(all)).body, (await one(all)).body]).toEqual(['a', 'b'])
    const north = client.createReceiver('orders', 'north')
    expect((await one(north)).body).toBe('a')
    expect(await north.receiveMessages(1, nothing)).toEqual([])
  })

  test('forwards dead letters to a queue, and says where they came from', async () => {
    const { server, client } = await stage()
    server.namespace.createQueue('graveyard')
    server.namespace.createQueue('work', { forwardDeadLettersTo: 'graveyard' })
    await client.createSender('work').sendMessages({ body: 'a' })
    const receiver = client.createReceiver('work')
    await receiver.deadLetterMessage(await one(receiver), { deadLetterReason: 'R', deadLetterErrorDescription: 'D' })
    expect(await one(client.createReceiver('graveyard'))).toMatchObject({ deadLetterSource: 'work', deadLetterReason: 'R' })
  })

  test('takes the second message of an id for a duplicate where it was told to', async () => {
    const { server, client } = await stage()
    const { messages } = server.namespace.createQueue('work', { duplicateWindow: 60_000 })
    const sender = client.createSender('work')
    for (const body of ['a', 'b']) await sender.sendMessages({ body, messageId: 'same' })
    expect(messages.size).toBe(1)
  })

  test('lets nobody in with a wrong key', async () => {
    const { server } = await stage({ keys: { Reader: 'c2VjcmV0' } })
    server.namespace.createQueue('work')
    const wrong = new ServiceBusClient(server.connectionString.replace('c2VjcmV0', 'b3RoZXI'), {
      retryOptions: { maxRetries: 0 },
    })
    open.push(wrong)
    await expect(wrong.createSender('work').sendMessages({ body: 'a' })).rejects.toThrow()
    const right = new ServiceBusClient(server.connectionString, { retryOptions: { maxRetries: 0 } })
    open.push(right)
    await right.createSender('work').sendMessages({ body: 'a' })
  })

  test('fails as it is told: refuses a send, throttles, and loses the answer to a settlement', async () => {
    const { server } = await stage()
    const client = new ServiceBusClient(server.connectionString, { retryOptions: { maxRetries: 0, timeoutInMs: 12_000 } })
    open.push(client)
    const { messages } = server.namespace.createQueue('work')
    const sender = client.createSender('work')
    server.faults.reject('send', 'work', new ServiceError('amqp:resource-limit-exceeded', 'The queue is full.'))
    await expect(sender.sendMessages({ body: 'a' })).rejects.toMatchObject({ code: 'QuotaExceeded' })
    server.faults.throttle('send', 'work')
    await expect(sender.sendMessages({ body: 'a' })).rejects.toMatchObject({ code: 'ServiceBusy' })
    expect(messages.size).toBe(0)
    await sender.sendMessages({ body: 'a' })
    const receiver = client.createReceiver('work')
    const message = await one(receiver)
    server.faults.loseDisposition('work')
    await expect(receiver.completeMessage(message)).rejects.toMatchObject({ code: 'ServiceTimeout' })
    expect(messages.size).toBe(0)
  })

  test('detaches, cuts and comes back with everything that it had accepted', async () => {
    const { server, client } = await stage()
    const { messages } = server.namespace.createQueue('work')
    await client.createSender('work').sendMessages([{ body: 'a' }, { body: 'b' }])
    server.detach('work')
    await server.pause()
    expect(messages.size).toBe(2)
    await server.resume()
    const again = new ServiceBusClient(server.connectionString)
    open.push(again)
    expect((await one(again.createReceiver('work'))).body).toBe('a')
  })
})
