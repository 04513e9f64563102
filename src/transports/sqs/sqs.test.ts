import { describe, expect, onTestFinished, test } from 'vitest'
import type { Broker } from '../../../scripts/brokers/start.ts'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { barely } from '../../../test/brokers/sqs.ts'
import { elasticmqVersions } from '../../../test/brokers/sqs-subjects.ts'
import { next, taken } from '../../../test/taken.ts'
import { until } from '../../../test/until.ts'
import { readLetter } from '../../core/dialects/read-letter.ts'
import type { Message } from '../../core/message.ts'
import type { Clock } from '../../core/ports.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Address, Delivery, Transport } from '../seam.ts'
import { examine } from './examine.ts'
import { type SqsOptions, sqs } from './sqs.ts'

const hold = 60_000
let names = 0

const message = (text: string, rest: Partial<Message> = {}): Message => ({
  id: text,
  body: Buffer.from(text),
  headers: [],
  ...rest,
})
const complete = { kind: 'complete' } as const
const release = { kind: 'release' } as const

await onBrokers('elasticmq', elasticmqVersions, (broker, version) => {
  describe(`SQS as ElasticMQ ${version} plays it`, { timeout: 240_000 }, () => own(broker))
})

function own(broker: Broker): void {
  function open(options: SqsOptions = {}): Transport {
    const transport = sqs({ endpoint: broker.url, pollFor: '1s', ...options })
    onTestFinished(() => transport.close())
    return transport
  }

  async function provisioned(transport: Transport, grave?: Address, maxTurns = 3): Promise<Address> {
    const address = { name: `own-${Date.now().toString(36)}-${++names}` }
    const deadLetterTo = grave && { deadLetterTo: grave, maxTurns }
    await transport.provision({ channels: [{ address, role: grave ? 'work' : 'dead-letter', ...deadLetterTo }] }, 'apply')
    return address
  }

  test('what SQS itself dead-letters is read as such, with the queue that it came from', async () => {
    const transport = open()
    const grave = await provisioned(transport)
    const client = barely(broker.url)
    const { QueueUrl } = await client.getQueueUrl({ QueueName: grave.name })
    const { Attributes } = await client.getQueueAttributes({ QueueUrl, AttributeNames: ['QueueArn'] })
    const policy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: 1 })
    const foreign = { name: `${grave.name}-foreign` }
    const queue = await client.createQueue({ QueueName: foreign.name, Attributes: { RedrivePolicy: policy } })
    await client.sendMessage({ QueueUrl: queue.QueueUrl, MessageBody: 'theirs' })
    const impatient = { QueueUrl: queue.QueueUrl, VisibilityTimeout: 0, WaitTimeSeconds: 1 }
    await until('it was moved', async () => {
      await client.receiveMessage(impatient)
      return (await transport.measure(grave)).retained === 1
    })
    const letter = await next(await transport.receive(grave, { prefetch: 1, hold }))
    const read = readLetter({ channel: grave.name, message: letter.message })
    expect([read.dialect, read.failure.source?.channel]).toEqual(['sqs', foreign.name])
  })

  test('a work queue is made with a redrive policy that leaves room for restarts', async () => {
    const transport = open()
    const grave = await provisioned(transport)
    const work = await provisioned(transport, grave, 200)
    const client = barely(broker.url)
    const { QueueUrl } = await client.getQueueUrl({ QueueName: work.name })
    const { Attributes } = await client.getQueueAttributes({ QueueUrl, AttributeNames: ['RedrivePolicy'] })
    expect(JSON.parse(Attributes?.RedrivePolicy ?? '')).toMatchObject({
      deadLetterTargetArn: expect.stringMatching(new RegExp(`:${grave.name}$`)),
    })
    expect(Number(JSON.parse(Attributes?.RedrivePolicy ?? '').maxReceiveCount)).toBe(210)
  })

  test('the doctor tells of a policy that gives up too early, and of queues that are missing', async () => {
    const transport = open()
    const grave = await provisioned(transport)
    const work = await provisioned(transport, grave, 3)
    const nowhere = { name: `${work.name}-nowhere` }
    const channels = [
      { address: work, role: 'work', deadLetterTo: grave, maxTurns: 95 },
      { address: grave, role: 'dead-letter' },
      { address: nowhere, role: 'invalid' },
    ] as const
    const told = await examine({ endpoint: broker.url }, { wanted: { channels }, channels: [] })
    expect(told.map(({ severity, about, what }) => `${severity} ${about} ${what}`).sort()).toEqual([
      `fine ${grave.name} queue`,
      `missing ${nowhere.name} channel-missing`,
      `warning ${work.name} receive-limit-too-low`,
    ])
  })

  test('two channels whose names make one queue are refused', async () => {
    const channels = ['a.b', 'a-b'].map((name) => ({ address: { name }, role: 'work' as const }))
    await expect(open().provision({ channels }, 'check')).rejects.toMatchObject({ code: 'bad-option' })
  })

  test('of ten settlements in one request the one that is stale fails alone', async () => {
    const slow = skewed()
    const transport = open({ clock: slow.clock })
    const work = await provisioned(transport)
    await Promise.all(Array.from({ length: 10 }, (_, index) => transport.send(work, message(`m${index}`))))
    const receiver = await transport.receive(work, { prefetch: 10, hold })
    const deliveries = await taken(receiver, 10)
    const thief = barely(broker.url)
    const { QueueUrl } = await thief.getQueueUrl({ QueueName: work.name })
    await transport.extend(deliveries[4] as Delivery, 1000)
    // By our clock it stays ours, so that only the server can tell that somebody else has it.
    slow.jump(-10 * hold)
    await until('it is free again', async () => {
      const { Messages = [] } = await thief.receiveMessage({ QueueUrl, VisibilityTimeout: 600, WaitTimeSeconds: 1 })
      return Messages.length === 1
    })
    const outcomes = await Promise.allSettled(deliveries.map((delivery) => transport.settle(delivery, complete)))
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(deliveries.map((_, index) => index !== 4))
    await expect(transport.settle(deliveries[4] as Delivery, complete)).rejects.toMatchObject({ code: 'hold-lost' })
  })

  test('a hold that is over by our own clock is lost, though the server would still take its settlement', async () => {
    const fast = skewed()
    const transport = open({ clock: fast.clock })
    const work = await provisioned(transport)
    await transport.send(work, message('a'))
    const delivery = await next(await transport.receive(work, { prefetch: 1, hold }))
    fast.jump(2 * hold)
    await expect(transport.settle(delivery, complete)).rejects.toMatchObject({ code: 'hold-lost' })
    expect(delivery.hold.signal.aborted).toBe(true)
    expect((await transport.measure(work)).retained).toBe(1)
  })

  test('a jump of the wall clock ends no hold', async () => {
    const jumpy = skewed()
    const transport = open({ clock: { ...jumpy.clock, monotonic: systemClock.monotonic } })
    const work = await provisioned(transport)
    await transport.send(work, message('a'))
    const delivery = await next(await transport.receive(work, { prefetch: 1, hold }))
    jumpy.jump(24 * 3_600_000)
    await transport.settle(delivery, complete)
  })

  test('who closes waits for a send whose queue is still looked for', async () => {
    const address = await provisioned(open())
    const transport = open()
    const order: string[] = []
    const sending = transport.send(address, message('a')).then(() => order.push('sent'))
    const closing = transport.close().then(() => order.push('closed'))
    await Promise.all([sending, closing])
    expect(order).toEqual(['sent', 'closed'])
  })

  test('those who wait for messages leave a connection to settle by', async () => {
    const transport = open({ connections: 1, pollFor: '20s' })
    const [work, idle] = [await provisioned(transport), await provisioned(transport)]
    await transport.send(work, message('a'))
    const held = await next(await transport.receive(work, { prefetch: 1, hold }))
    const waiting = await transport.receive(idle, { prefetch: 1, hold })
    const taking = waiting.take(1, 20_000).then(() => 'waited' as const)
    const settling = transport.settle(held, complete).then(() => 'settled' as const)
    expect(await Promise.race([taking, settling])).toBe('settled')
    await transport.send(idle, message('b'))
    expect(await taking).toBe('waited')
  })

  test('what comes after a take has ended is for the next one', async () => {
    const transport = open()
    const work = await provisioned(transport)
    const receiver = await transport.receive(work, { prefetch: 1, hold })
    expect(await receiver.take(1, 10)).toEqual([])
    await transport.send(work, message('late'))
    const delivery = await next(receiver)
    expect([delivery.message.id, delivery.deliveries]).toEqual(['late', 1])
  })

  test('what comes while a receiver closes goes back at once', async () => {
    const transport = open()
    const work = await provisioned(transport)
    const receiver = await transport.receive(work, { prefetch: 1, hold })
    const waiting = receiver.take(1, 5000)
    const closing = receiver.close()
    await transport.send(work, message('late'))
    await closing
    expect(await waiting).toEqual([])
    // Far below the hold: had it been kept, nobody would get it now.
    const delivery = await next(await open().receive(work, { prefetch: 1, hold }))
    expect(delivery.message.id).toBe('late')
  })

  test.each(['standard', 'fifo'] as const)(
    'on %s queues, what we released ourselves is no suspect to us, and one to others',
    async (queues) => {
      const transport = open({ queues })
      const work = await provisioned(transport)
      await transport.send(work, message('a'))
      const receiver = await transport.receive(work, { prefetch: 1, hold })
      await transport.settle(await next(receiver), release)
      const again = await next(receiver)
      expect([again.deliveries, again.turns, again.suspect]).toEqual([2, 0, false])
      await receiver.close()
      await transport.settle(again, release)
      const other = await next(await open({ queues }).receive(work, { prefetch: 1, hold }))
      expect([other.deliveries, other.suspect]).toEqual([3, true])
    },
  )

  test('a retry on a FIFO queue counts a turn here and elsewhere', async () => {
    const transport = open({ queues: 'fifo' })
    const work = await provisioned(transport)
    await transport.send(work, message('a', { key: 'k' }))
    const receiver = await transport.receive(work, { prefetch: 1, hold })
    await transport.settle(await next(receiver), { kind: 'retry', delay: 0 })
    const again = await next(receiver)
    expect([again.turns, again.suspect]).toEqual([1, false])
    await receiver.close()
    await transport.settle(again, { kind: 'retry', delay: 0 })
    const other = await next(await open({ queues: 'fifo' }).receive(work, { prefetch: 1, hold }))
    expect([other.turns, other.suspect]).toEqual([2, true])
  })

  test('what waited behind a message whose hold was lost has had no turn, and is no suspect to us', async () => {
    const fast = skewed()
    const transport = open({ queues: 'fifo', clock: fast.clock })
    const work = await provisioned(transport)
    for (const id of ['first', 'second']) await transport.send(work, message(id, { key: 'k' }))
    const receiver = await transport.receive(work, { prefetch: 2, hold })
    const deliveries = await taken(receiver, 2)
    for (const delivery of deliveries) await transport.extend(delivery, 1000)
    // By our clock both are over, and the server gives them out again soon.
    fast.jump(2 * hold)
    for (const delivery of deliveries)
      await expect(transport.settle(delivery, complete)).rejects.toMatchObject({ code: 'hold-lost' })
    // The second one is free later than the first, and would not be given out while somebody holds that.
    const client = barely(broker.url)
    const { QueueUrl } = await client.getQueueUrl({ QueueName: `${work.name}.fifo` })
    await until('both are free again', async () => {
      const { Attributes } = await client.getQueueAttributes({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] })
      return Attributes?.['ApproximateNumberOfMessages'] === '2'
    })
    const again = await taken(receiver, 2)
    expect(again.map(({ message: { id }, turns, suspect }) => [id, turns, suspect])).toEqual([
      ['first', 1, true],
      ['second', 0, false],
    ])
  })

  test('a suspect that we release unrun stays one', async () => {
    const crashed = open({ queues: 'fifo' })
    const work = await provisioned(crashed)
    await crashed.send(work, message('a', { key: 'k' }))
    await crashed.settle(await next(await crashed.receive(work, { prefetch: 1, hold })), release)
    const transport = open({ queues: 'fifo' })
    const receiver = await transport.receive(work, { prefetch: 1, hold })
    await crashed.close()
    await transport.settle(await next(receiver), release)
    const again = await next(receiver)
    expect([again.deliveries, again.turns, again.suspect]).toEqual([3, 1, true])
  })

  test('a message that is larger than its queue takes is refused before it is sent', async () => {
    const transport = open({ maxMessage: '128KiB' })
    const work = await provisioned(transport)
    const headers = Array.from({ length: 30 }, (_, index) => [`h${index}`, '"'.repeat(1000)] as const)
    const heavy = message('a', { body: Buffer.alloc(64 * 1024, 'x'), headers })
    await expect(transport.send(work, { ...heavy, correlationId: 'x'.repeat(16_000) })).rejects.toMatchObject({
      code: 'too-large',
    })
    expect((await transport.measure(work)).retained).toBe(0)
  })

  test('a queue that was deleted is an unknown channel, and is found again when it is back', async () => {
    const transport = open()
    const work = await provisioned(transport)
    const client = barely(broker.url)
    const { QueueUrl } = await client.getQueueUrl({ QueueName: work.name })
    await transport.send(work, message('a'))
    await client.deleteQueue({ QueueUrl })
    await expect(transport.send(work, message('b'))).rejects.toMatchObject({ code: 'unknown-channel' })
    await expect(transport.measure(work)).rejects.toMatchObject({ code: 'unknown-channel' })
    await client.createQueue({ QueueName: work.name })
    await transport.send(work, message('c'))
    expect((await transport.measure(work)).retained).toBe(1)
  })
}

/** A clock that can be put forward. */
function skewed(): { readonly clock: Clock; jump(ms: number): void } {
  let ahead = 0
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    monotonic: () => systemClock.monotonic() + ahead,
  }
  return {
    clock,
    jump(ms) {
      ahead += ms
    },
  }
}
