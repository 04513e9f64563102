import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { Broker } from '../../../scripts/brokers/start.ts'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { createVhost, type Vhost } from '../../../test/brokers/rabbitmq.ts'
import { rabbitmqVersions } from '../../../test/brokers/rabbitmq-subjects.ts'
import { taken } from '../../../test/taken.ts'
import type { Message } from '../../core/message.ts'
import { createConsumer } from '../../runtime/consumer.ts'
import { defineMessage } from '../../runtime/define-message.ts'
import type { Delivery, Transport } from '../seam.ts'
import type { Finding, WantedChannel } from '../topology.ts'
import { type RabbitmqOptions, rabbitmq } from './rabbitmq.ts'

const opened: Transport[] = []
afterAll(() => Promise.all(opened.map((transport) => transport.close())))

function open(options: RabbitmqOptions): Transport {
  const transport = rabbitmq(options)
  opened.push(transport)
  return transport
}

function text(body: string, rest: Partial<Message> = {}): Message {
  return { body: Buffer.from(body), headers: [], ...rest }
}

async function create(transport: Transport, name: string, wanted: Partial<WantedChannel> = {}): Promise<readonly Finding[]> {
  return transport.provision({ channels: [{ address: { name }, role: 'work', ...wanted }] }, 'apply')
}

async function take(transport: Transport, name: string, count: number): Promise<readonly Delivery[]> {
  const receiver = await transport.receive({ name }, { prefetch: 100, hold: 30_000 })
  return taken(receiver, count)
}

function bodies(deliveries: readonly { readonly message: Message }[]): string[] {
  return deliveries.map(({ message }) => String(message.body))
}

await onBrokers('rabbitmq', rabbitmqVersions, async (broker, version) => {
  const vhost = await createVhost(broker)
  describe(`RabbitMQ ${version}: bad input`, () => badInput(broker, vhost))
  describe(`RabbitMQ ${version}: sending`, () => sending(vhost))
  describe(`RabbitMQ ${version}: messages`, () => messages(vhost))
  describe(`RabbitMQ ${version}: delays`, () => delaying(vhost))
  describe(`RabbitMQ ${version}: topology`, () => topology(vhost))
  describe(`RabbitMQ ${version}: looking`, () => looking(vhost))
})

function badInput(broker: Broker, vhost: Vhost): void {
  const impatient = { connectWithin: '3s' } as const
  const failing = (options: RabbitmqOptions): Promise<unknown> => open({ ...impatient, ...options }).measure({ name: 'work' })

  test('a wrong password is access-denied, at once and without the password', async () => {
    const url = vhost.url.replace('guest:guest', 'guest:hunter2')
    const error = await failing({ url, connectWithin: '10m' }).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ code: 'access-denied', message: expect.stringContaining('password') })
    expect(String(error)).not.toContain('hunter2')
  })

  test('a virtual host that does not exist is named', async () => {
    const error = { code: 'access-denied', message: expect.stringContaining('no virtual host "nowhere"') }
    await expect(failing({ url: broker.url, vhost: 'nowhere', connectWithin: '10m' })).rejects.toMatchObject(error)
  })

  test('a host that does not exist is unreachable', async () => {
    const error = { code: 'unreachable', message: expect.stringContaining('no-such-host.invalid') }
    await expect(failing({ url: 'amqp://no-such-host.invalid' })).rejects.toMatchObject(error)
  })

  test('a count tells for how long the queue keeps a message, where that is then lost', async () => {
    const transport = open({ url: vhost.url, management: vhost.management })
    const toElsewhere = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'keeps-not' }
    await vhost.barely(async (channel) => {
      await channel.assertQueue('keeps-not', { durable: true, arguments: { 'x-message-ttl': 3_600_000 } })
      await channel.assertQueue('keeps', { durable: true })
      await channel.assertQueue('moves', { durable: true, arguments: { 'x-message-ttl': 3_600_000, ...toElsewhere } })
    })
    expect(await transport.measure({ name: 'keeps-not' })).toMatchObject({ keepsFor: 3_600_000 })
    for (const name of ['keeps', 'moves']) expect(await transport.measure({ name })).not.toHaveProperty('keepsFor')
    const blind = open({ url: vhost.url })
    expect(await blind.measure({ name: 'keeps-not' })).toEqual({ retained: 0, pending: 0, consumers: 0, heldUnseen: 1_800_000 })
    const counted = async () => expect(await transport.measure({ name: 'keeps' })).toHaveProperty('lateBy', 10_000)
    await vi.waitFor(counted, 60_000)
  })

  test('one host of several is enough', async () => {
    const transport = open({ urls: ['amqp://127.0.0.1:1', vhost.url], vhost: vhost.name })
    await create(transport, 'one-of-several')
    expect(await transport.measure({ name: 'one-of-several' })).toMatchObject({ pending: 0 })
  })

  test('TLS where there is none is told, and so is the lack of it', async () => {
    await expect(failing({ url: vhost.url.replace('amqp:', 'amqps:'), connectWithin: '10m' })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('does not speak TLS'),
    })
    const speaksTlsOnly = createServer((socket) => socket.on('data', () => socket.end()))
    await new Promise<void>((resolve) => speaksTlsOnly.listen(0, '127.0.0.1', resolve))
    const { port } = speaksTlsOnly.address() as AddressInfo
    await expect(failing({ url: `amqp://127.0.0.1:${port}`, connectWithin: '10s' })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('expects TLS'),
    })
    speaksTlsOnly.close()
  })

  test('a body of 200 MB is too-large, and those sent beside it arrive', async () => {
    const transport = open({ url: vhost.url })
    await create(transport, 'large')
    const [large, small] = await Promise.allSettled([
      transport.send({ name: 'large' }, { body: Buffer.alloc(200_000_000), headers: [] }),
      transport.send({ name: 'large' }, text('small')),
    ])
    expect(large).toMatchObject({ status: 'rejected', reason: { code: 'too-large' } })
    expect(small).toMatchObject({ status: 'fulfilled' })
    expect(await transport.measure({ name: 'large' })).toMatchObject({ pending: 1 })
  })

  test('a consumer does not start on a queue that exists with other arguments, names what differs, and loses nothing', async () => {
    const transport = open({ url: vhost.url })
    await vhost.barely(async (channel) => {
      await channel.assertQueue('differs', { durable: true })
      for (const label of ['a', 'b', 'c']) channel.sendToQueue('differs', Buffer.from(label), { persistent: true })
    })
    const consumer = createConsumer({ transport, service: 'tests', logger: false })
    consumer
      .channel('differs', { deadLetter: 'differs-dead', retry: { delayed: { retries: 0 } } })
      .on(defineMessage('job'), () => {})
    await expect(consumer.start()).rejects.toMatchObject({
      code: 'bad-topology',
      message: expect.stringContaining('differs has no dead-letter exchange: what is rejected or expires is lost.'),
    })
    expect(await transport.measure({ name: 'differs' })).toMatchObject({ retained: 3 })
  })

  test.each([
    ['classic', 'quorum'],
    ['quorum', 'classic'],
  ] as const)(
    'a consumer does not start on a %s queue that it takes for a %s one, whose deliveries count otherwise',
    async (is, queueType) => {
      const [work, deadLetter] = [`mistaken-${is}`, `mistaken-${is}-dead`]
      const right = open({ url: vhost.url, queueType: is })
      await create(right, deadLetter, { role: 'dead-letter' })
      await create(right, work, { deadLetterTo: { name: deadLetter } })
      const consumer = createConsumer({ transport: open({ url: vhost.url, queueType }), service: 'tests', logger: false })
      consumer.channel(work, { deadLetter, retry: { delayed: { retries: 0 } } }).on(defineMessage('job'), () => {})
      await expect(consumer.start()).rejects.toMatchObject({
        code: 'bad-topology',
        message: expect.stringContaining(`is a ${is} queue: set queueType to that`),
      })
    },
  )

  test('a user without rights is access-denied', async () => {
    await vhost.manage('PUT', 'users/reader', { password: 'reader', tags: '' })
    await vhost.manage('PUT', `permissions/${vhost.name}/reader`, { configure: '^$', write: '^$', read: '^$' })
    const transport = open({ url: vhost.url.replace('guest:guest', 'reader:reader') })
    await expect(create(transport, 'forbidden')).rejects.toMatchObject({ code: 'access-denied' })
  })
}

function sending(vhost: Vhost): void {
  test('an unroutable send is never a success, and its equal twin that is routed never a failure', async () => {
    const transport = open({ url: vhost.url })
    await create(transport, 'twins')
    const twin = text('twin', { id: 'same' })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) => transport.send({ name: index % 2 ? 'twins' : 'twins-absent' }, twin)),
    )
    const isRouted = outcomes.map(({ status }) => status === 'fulfilled')
    expect(isRouted).toEqual(outcomes.map((_, index) => index % 2 === 1))
    expect(await transport.measure({ name: 'twins' })).toMatchObject({ pending: 100 })
  })

  test('no send is a success once its queue has been deleted, however many were on their way', async () => {
    const transport = open({ url: vhost.url })
    await create(transport, 'vanishing')
    const send = (label: string) => transport.send({ name: 'vanishing' }, text(label, { id: 'same' }))
    const before = Promise.allSettled(Array.from({ length: 300 }, (_, index) => send(`before-${index}`)))
    await vhost.barely((channel) => channel.deleteQueue('vanishing'))
    const after = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => send(`after-${index}`)))
    expect(after.filter(({ status }) => status === 'fulfilled')).toEqual([])
    await before
  })

  test('what this user may not write to a queue is refused, and not unsure', async () => {
    await create(open({ url: vhost.url }), 'read-only')
    await vhost.manage('PUT', 'users/looker', { password: 'looker', tags: '' })
    await vhost.manage('PUT', `permissions/${vhost.name}/looker`, { configure: '^$', write: '^$', read: '.*' })
    const transport = open({ url: vhost.url.replace('guest:guest', 'looker:looker') })
    await expect(transport.send({ name: 'read-only' }, text('one'))).rejects.toMatchObject({ code: 'refused' })
  })

  test('a full queue that refuses is refused', async () => {
    const transport = open({ url: vhost.url, queueType: 'classic' })
    await vhost.barely((channel) =>
      channel.assertQueue('full', { arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' } }),
    )
    await transport.send({ name: 'full' }, text('one'))
    await expect(transport.send({ name: 'full' }, text('two'))).rejects.toMatchObject({ code: 'refused' })
  })

  test('a body above the limit of the broker is too-large where ours is higher', { timeout: 300_000 }, async () => {
    const transport = open({ url: vhost.url, maxBody: '300MiB', answerWithin: '2m' })
    await create(transport, 'above')
    const body = Buffer.alloc(140 * 1024 * 1024)
    await expect(transport.send({ name: 'above' }, { body, headers: [] })).rejects.toMatchObject({ code: 'too-large' })
    await transport.send({ name: 'above' }, text('after'))
  })
}

function messages(vhost: Vhost): void {
  test('a copy keeps properties and header types, and is not routed to its carbon copies again', async () => {
    const transport = open({ url: vhost.url })
    for (const name of ['props', 'props-copy', 'props-cc']) await create(transport, name)
    const properties = { priority: 5, replyTo: 'answers', appId: 'shop', contentEncoding: 'gzip', timestamp: 1_700_000_000 }
    const headers = { nested: { list: [1, 'two', true], when: { '!': 'timestamp', value: 1_700_000_000 } } }
    await vhost.barely(async (channel) => {
      const options = { ...properties, userId: 'guest', messageId: 'm-1', CC: ['props-cc'], headers, persistent: true }
      channel.sendToQueue('props', Buffer.from('x'), options)
      await channel.checkQueue('props')
    })
    const [original] = await take(transport, 'props', 1)
    await transport.send({ name: 'props-copy' }, (original as Delivery).message)
    expect(await transport.measure({ name: 'props-cc' })).toMatchObject({ pending: 1 })
    const [copy] = await take(transport, 'props-copy', 1)
    const { native, headers: kept, id } = (copy as Delivery).message
    expect([native?.properties, id]).toMatchObject([{ ...properties, userId: 'guest', deliveryMode: 2 }, 'm-1'])
    const nested = { list: [1, 'two', true], when: new Date(1_700_000_000_000) }
    expect(Object.fromEntries(kept)).toMatchObject({ nested, CC: ['props-cc'] })
  })

  test('a rejected message takes its death along: the work queue, rejected, once', async () => {
    const transport = open({ url: vhost.url })
    await create(transport, 'native-dead', { role: 'dead-letter' })
    await create(transport, 'native', { deadLetterTo: { name: 'native-dead' } })
    await transport.send({ name: 'native' }, text('x'))
    const [delivery] = await take(transport, 'native', 1)
    const failure = {
      reason: 'PoisonMessage',
      description: '',
      errorType: 'E',
      class: 'permanent',
      at: 0,
      attempts: 1,
      deliveries: 1,
    } as const
    await transport.settle(delivery as Delivery, { kind: 'reject', failure })
    const [letter] = await take(transport, 'native-dead', 1)
    const [, deaths] = (letter as Delivery).message.headers.find(([name]) => name === 'x-death') ?? []
    expect(deaths).toMatchObject([{ queue: 'native', reason: 'rejected', count: 1 }])
  })
}

function delaying(vhost: Vhost): void {
  test('a short delay overtakes a long one, and none is early', async () => {
    const transport = open({ url: vhost.url })
    await create(transport, 'delays')
    const receiver = await transport.receive({ name: 'delays' }, { prefetch: 10, hold: 30_000 })
    const from = performance.now()
    // Together, and far enough from each other that a broker which is slow to take one of them still has them in this order.
    const delays = [12_000, 250, 8000, 4000]
    await Promise.all(delays.map((delay) => transport.send({ name: 'delays' }, text(String(delay)), { delay })))
    const came: string[] = []
    for (const _ of delays) {
      came.push(...bodies(await taken(receiver, 1)))
      expect(performance.now() - from).toBeGreaterThan(Number(came.at(-1)) - 20)
    }
    expect(came).toEqual(['250', '4000', '8000', '12000'])
  })

  test('what has no home any more when its delay is over is with the orphans', async () => {
    const transport = open({ url: vhost.url, prefix: 'orphanage' })
    await create(transport, 'gone')
    // Its home is gone long before the delay is over: the connection that takes it away is there already.
    await vhost.barely(async (channel) => {
      await transport.send({ name: 'gone' }, text('orphan'), { delay: 10_000 })
      await channel.deleteQueue('gone')
    })
    expect(bodies(await take(transport, 'orphanage.orphans', 1))).toEqual(['orphan'])
  })

  test('delay queues that somebody deleted are created again', async () => {
    const transport = open({ url: vhost.url, prefix: 'fragile' })
    await create(transport, 'again')
    const receiver = await transport.receive({ name: 'again' }, { prefetch: 10, hold: 30_000 })
    await transport.send({ name: 'again' }, text('one'), { delay: 125 })
    expect(bodies(await taken(receiver, 1))).toEqual(['one'])
    await vhost.barely(async (channel) => {
      await channel.deleteExchange('fragile.delay.00')
      await channel.deleteQueue('fragile.delay.00')
    })
    await expect(transport.send({ name: 'again' }, text('lost'), { delay: 125 })).rejects.toMatchObject({
      code: 'unknown-channel',
    })
    await transport.send({ name: 'again' }, text('two'), { delay: 125 })
    expect(bodies(await taken(receiver, 1))).toEqual(['two'])
  })

  test('delay queues whose maker died before they were bound are bound', async () => {
    const makes = open({ url: vhost.url, prefix: 'half-made' })
    await create(makes, 'halves')
    await makes.send({ name: 'halves' }, text('one'), { delay: 125 })
    const name = 'half-made.delay.00'
    await vhost.barely((channel) => channel.unbindQueue(name, name, `${'*.'.repeat(22)}1.#`))
    const comesLater = open({ url: vhost.url, prefix: 'half-made' })
    const send = (label: string) => comesLater.send({ name: 'halves' }, text(label), { delay: 125 })
    await expect(send('lost')).rejects.toMatchObject({ code: 'unknown-channel' })
    await send('two')
    const receiver = await comesLater.receive({ name: 'halves' }, { prefetch: 10, hold: 30_000 })
    expect(bodies(await taken(receiver, 2))).toEqual(['one', 'two'])
  })

  test('a queue that others deleted and made anew is found by what waits for its time', async () => {
    const transport = open({ url: vhost.url, prefix: 'remaking' })
    await create(transport, 'remade')
    await transport.send({ name: 'remade' }, text('one'), { delay: 125 })
    const before = await transport.receive({ name: 'remade' }, { prefetch: 10, hold: 30_000 })
    expect(bodies(await taken(before, 1))).toEqual(['one'])
    await vhost.barely((channel) => channel.deleteQueue('remade'))
    await vi.waitFor(() => expect(before.lost.aborted).toBe(true), 100_000)
    await vhost.barely((channel) => channel.assertQueue('remade', { durable: true, arguments: { 'x-queue-type': 'quorum' } }))
    const receiver = await transport.receive({ name: 'remade' }, { prefetch: 10, hold: 30_000 })
    await transport.send({ name: 'remade' }, text('two'), { delay: 125 })
    expect(bodies(await taken(receiver, 1))).toEqual(['two'])
  })
}

function topology(vhost: Vhost): void {
  const whats = (findings: readonly Finding[]): string[] => findings.map(({ severity, what }) => `${severity} ${what}`)

  test('every argument in which an existing queue differs is found without the management API', async () => {
    const transport = open({ url: vhost.url })
    const others = { 'x-max-length': 10, 'x-message-ttl': 5000, 'x-dead-letter-exchange': 'no-such-exchange' }
    await vhost.barely((channel) => channel.assertQueue('other', { arguments: others }))
    await create(transport, 'other-dead', { role: 'dead-letter' })
    const findings = whats(await create(transport, 'other', { deadLetterTo: { name: 'other-dead' } }))
    expect(findings).toEqual([
      'fatal queue-type-differs',
      'fatal dead-letter-exchange-missing',
      'warning dead-letter-at-most-once',
      'warning ttl-differs',
    ])
  })

  test('a transient queue is fatal', async () => {
    const transport = open({ url: vhost.url, queueType: 'classic' })
    await vhost.barely((channel) => channel.assertQueue('transient', { durable: false }))
    expect(whats(await create(transport, 'transient'))).toContain('fatal not-durable')
  })

  test('a dead-letter exchange that is set by a policy is seen by the management API, with what is bound to it', async () => {
    const transport = open({ url: vhost.url, queueType: 'classic', management: vhost.management })
    const wanted = { deadLetterTo: { name: 'policy-dead' } }
    await create(transport, 'policy-dead', { role: 'dead-letter' })
    await create(transport, 'policy')
    expect(whats(await create(transport, 'policy', wanted))).toContain('fatal dead-letter-missing')
    await vhost.barely((channel) => channel.assertExchange('policy-dlx', 'fanout'))
    const definition = { 'dead-letter-exchange': 'policy-dlx' }
    await vhost.manage('PUT', `policies/${vhost.name}/dlx`, { pattern: '^policy$', definition, 'apply-to': 'queues' })
    const found = async () => whats(await create(transport, 'policy', wanted))
    await expect.poll(found).toContain('fatal dead-letter-unbound')
    await vhost.barely((channel) => channel.bindQueue('policy-dead', 'policy-dlx', ''))
    await expect.poll(found).toEqual(['warning dead-letter-at-most-once'])
  })
}

function looking(vhost: Vhost): void {
  test('browsing a classic queue keeps its order, and marks what was looked at as redelivered', async () => {
    const transport = open({ url: vhost.url, queueType: 'classic' })
    await create(transport, 'browsed')
    for (const label of ['a', 'b', 'c']) await transport.send({ name: 'browsed' }, text(label))
    expect(bodies((await transport.browse({ name: 'browsed' }, { limit: 2 })).messages)).toEqual(['a', 'b'])
    const deliveries = await take(transport, 'browsed', 3)
    expect(bodies(deliveries)).toEqual(['a', 'b', 'c'])
    expect(deliveries.every(({ suspect }) => suspect)).toBe(true)
  })

  test('a quorum queue is not browsed, whatever the transport was told', async () => {
    await create(open({ url: vhost.url }), 'not-browsed')
    const transport = open({ url: vhost.url, queueType: 'classic' })
    await expect(transport.browse({ name: 'not-browsed' }, { limit: 1 })).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('what others hold is counted where the management API is given, and a failed probe rejects', async () => {
    const [here, elsewhere] = [open({ url: vhost.url, management: vhost.management }), open({ url: vhost.url })]
    await create(here, 'measured')
    await here.send({ name: 'measured' }, text('x'))
    await take(elsewhere, 'measured', 1)
    await expect.poll(() => here.measure({ name: 'measured' })).toMatchObject({ pending: 1 })
    const blind = open({ url: vhost.url, management: { ...vhost.management, url: 'http://127.0.0.1:1' } })
    await expect(blind.measure({ name: 'measured' })).rejects.toMatchObject({ code: 'unreachable' })
  })
}
