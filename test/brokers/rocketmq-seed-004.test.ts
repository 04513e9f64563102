import { describe, expect, onTestFinished, test } from 'vitest'
import type { Broker } from '../../scripts/brokers/start.ts'
import { InvalidMessageError, PermanentError } from '../../src/core/tagged-errors.ts'
import type { ChannelOptions } from '../../src/runtime/channel-options.ts'
import { text } from '../../src/runtime/codec.ts'
import { type Consumer, createConsumer } from '../../src/runtime/consumer.ts'
import { defineMessage } from '../../src/runtime/define-message.ts'
import type { Logger } from '../../src/runtime/logger.ts'
import { rocketmq } from '../../src/transports/rocketmq/rocketmq.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { until } from '../until.ts'
import { onBrokers } from './on-brokers.ts'
import { type BareClient, bareClient, type SeenMessage, throughPort } from './rocketmq.ts'
import { rocketmqVersions } from './rocketmq-subjects.ts'
import { tcpProxy } from './tcp-proxy.ts'

const Order = defineMessage<string>('order', undefined, { codec: text })
/** The source is rejected the first time that it fails. */
const atOnce: ChannelOptions = {
  dialect: 'brighter',
  retry: { immediate: 0, delayed: { retries: 0 } },
  breaker: false,
  hold: '10s',
}

interface Stage {
  readonly work: string
  readonly dead: string
  readonly invalid: string
  readonly group: string
  readonly runs: string[]
  readonly warnings: string[]
  /** What was done to the source and to letters, as the broker confirmed it. */
  readonly confirmed: string[]
  readonly bare: BareClient
  readonly consumer: Consumer
  put(...texts: readonly string[]): Promise<void>
  /** Resolves when so many letters are in a topic, and nothing of the source is left unacknowledged. */
  buried(topic: string, count: number): Promise<readonly SeenMessage[]>
  acknowledged(): Promise<void>
}

let stages = 0

/** On topics in order, where the broker itself tells what was not acknowledged. */
async function open(broker: Broker, handle: (order: string) => void, where: ChannelOptions): Promise<Stage> {
  const name = `seed-004-${process.pid}-${++stages}`
  const [work, dead, invalid] = [`${name}-orders`, `${name}-dead`, `${name}-invalid`]
  const bare = bareClient(broker.url)
  const runs: string[] = []
  const warnings: string[] = []
  const confirmed: string[] = []
  const transport = rocketmq({ url: broker.url, topics: 'fifo', group: name, pollFor: '500ms' })
  const consumer = createConsumer({
    transport: watched(transport, confirmed),
    service: 'orders',
    provision: 'apply',
    logger: listen(warnings),
  })
  const named = { ...(where.deadLetter === 'yes' && { deadLetter: dead }), ...(where.invalid === 'yes' && { invalid }) }
  consumer.channel(work, { ...atOnce, ...where, ...named }).on(Order, (order) => {
    runs.push(order)
    handle(order)
  })
  onTestFinished(() => consumer.stop().then(() => transport.close()))
  await consumer.start()
  const acknowledged = (): Promise<void> => until('the source is acknowledged', async () => (await bare.lag(work, name)) === 0)
  return {
    ...{ work, dead, invalid, group: name, runs, warnings, confirmed, bare, consumer, acknowledged },
    async put(...texts) {
      for (const order of texts)
        await transport.send(
          { name: work },
          { id: order, type: 'order', body: Buffer.from(order), headers: [['tenant', 'north']] },
        )
    },
    async buried(topic, count) {
      await until(`${count} in ${topic}`, async () => (await bare.messagesIn(topic)).length >= count)
      await acknowledged()
      const letters = await bare.messagesIn(topic)
      expect(letters).toHaveLength(count)
      return letters
    },
  }
}

/** The transport itself, with what it confirmed, in its order. */
function watched(transport: Transport, confirmed: string[]): Transport {
  return {
    ...transport,
    async send(address, message, options) {
      const receipt = await transport.send(address, message, options)
      confirmed.push(`sent ${message.id}`)
      return receipt
    },
    async settle(delivery, settlement) {
      confirmed.push(`${settlement.kind} ${delivery.message.id}`)
      await transport.settle(delivery, settlement)
    },
  }
}

function listen(warnings: string[]): Logger {
  const quiet = (): void => {}
  const logger: Logger = {
    ...{ debug: quiet, info: quiet, error: quiet, fatal: quiet },
    warn: (_, message) => void warnings.push(message),
    child: () => logger,
  }
  return logger
}

const delivery = (): never => {
  throw new PermanentError('The account is closed')
}
const unacceptable = (): never => {
  throw new InvalidMessageError('There is no such account')
}
const noReason = (): never => {
  throw undefined
}
const completedUnseen = 'Completed a failed message without a letter'

function onRocketmq(broker: Broker): void {
  test('tree: DeliveryError with a dead-letter topic goes there, and the source is acknowledged', async () => {
    const stage = await open(broker, delivery, { deadLetter: 'yes', invalid: 'yes' })
    await stage.put('a')
    const [letter] = await stage.buried(stage.dead, 1)
    expect([letter?.body.toString(), letter?.properties['rejectionReason']]).toEqual(['a', 'DeliveryError'])
    expect(await stage.bare.messagesIn(stage.invalid)).toEqual([])
  })

  test('tree: DeliveryError without a dead-letter topic is warned about and acknowledged', async () => {
    const stage = await open(broker, delivery, { deadLetter: 'none' })
    await stage.put('a', 'b')
    await stage.acknowledged()
    expect([stage.runs.sort(), stage.warnings.filter((line) => line === completedUnseen).length]).toEqual([['a', 'b'], 2])
  })

  test('tree: Unacceptable with an invalid topic goes there and not among the dead, and the source is acknowledged', async () => {
    const stage = await open(broker, unacceptable, { deadLetter: 'yes', invalid: 'yes' })
    await stage.put('a')
    const [letter] = await stage.buried(stage.invalid, 1)
    expect(letter?.properties['rejectionReason']).toBe('Unacceptable')
    expect(await stage.bare.messagesIn(stage.dead)).toEqual([])
  })

  test('tree: Unacceptable with only a dead-letter topic falls back to it, and the source is acknowledged', async () => {
    const stage = await open(broker, unacceptable, { deadLetter: 'yes' })
    await stage.put('a')
    const [letter] = await stage.buried(stage.dead, 1)
    expect(letter?.properties['rejectionReason']).toBe('Unacceptable')
  })

  test('tree: Unacceptable without any topic is warned about and acknowledged, and the next message flows', async () => {
    const stage = await open(broker, (order) => (order === 'bad' ? unacceptable() : undefined), { deadLetter: 'none' })
    await stage.put('bad', 'good')
    await stage.acknowledged()
    expect([stage.runs.sort(), stage.warnings.filter((line) => line === completedUnseen).length]).toEqual([['bad', 'good'], 1])
  })

  test('tree: no reason given goes to the dead-letter topic, and the source is acknowledged', async () => {
    const stage = await open(broker, noReason, { deadLetter: 'yes', invalid: 'yes' })
    await stage.put('a')
    const [letter] = await stage.buried(stage.dead, 1)
    expect(letter?.properties['rejectionReason']).toBe('DeliveryError')
  })

  test('no producers configured is refused before anything is received, unless it is written out', async () => {
    await expect(open(broker, delivery, {})).rejects.toMatchObject({ code: expect.stringMatching(/bad-(option|topology)/) })
  })

  test('the bag stands in the properties, and no receipt handle does', async () => {
    const stage = await open(broker, delivery, { deadLetter: 'yes' })
    await stage.put('a')
    const [letter] = await stage.buried(stage.dead, 1)
    expect(letter?.properties).toMatchObject({
      tenant: 'north',
      originalTopic: stage.work,
      rejectionReason: 'DeliveryError',
      rejectionTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|\+00:00)$/),
      originalMessageType: 'order',
      rejectionMessage: 'The account is closed',
    })
    expect(JSON.stringify(letter?.properties)).not.toMatch(/receipt|POP_CK/i)
  })

  test('a rejected message is not requeued for ever: it runs once for each try, and then never again', async () => {
    const retry = { immediate: 1, delayed: { retries: 1, backoff: { first: '10ms' } } } as const
    const failing = (): never => {
      throw new Error('The database is away')
    }
    const stage = await open(broker, failing, { deadLetter: 'yes', retry })
    await stage.put('a')
    await stage.buried(stage.dead, 1)
    expect(stage.runs).toEqual(['a', 'a', 'a', 'a'])
  })

  test('cleanup: the source is completed after its letter was confirmed, and exactly once', async () => {
    const stage = await open(broker, delivery, { deadLetter: 'yes' })
    const orders = Array.from({ length: 10 }, (_, index) => `m${index}`)
    await stage.put(...orders)
    await stage.buried(stage.dead, 10)
    expect(sourcesCleanedTooEarly(stage.confirmed, orders)).toEqual([])
    expect(stage.confirmed.filter((event) => event.startsWith('complete '))).toHaveLength(10)
  })

  test('risk: parallel first rejections share one connection, and each message has one letter', async () => {
    const proxy = await tcpProxy(Number(new URL(broker.url).port))
    onTestFinished(() => proxy.close())
    const url = throughPort(broker.url, proxy.port)
    const stage = await open({ ...broker, url }, delivery, { deadLetter: 'yes', concurrency: 20 })
    await stage.put(...Array.from({ length: 20 }, (_, index) => `m${index}`))
    const letters = await stage.buried(stage.dead, 20)
    expect([new Set(letters.map(({ body }) => body.toString())).size, proxy.taken]).toEqual([20, 1])
  })

  test('risk: while the dead-letter topic is gone its letters are held and nothing is acknowledged; once it is back each arrives', async () => {
    const stage = await open(broker, delivery, { deadLetter: 'yes' })
    await stage.bare.deleteTopic(stage.dead)
    await stage.put('a')
    await until('it has run', () => stage.runs.length > 0)
    await until('the letter is refused', () => (stage.consumer.channels()[0]?.held ?? 0) > 0)
    expect(await stage.bare.lag(stage.work, stage.group)).toBe(1)
    await stage.bare.createTopic(stage.dead, 'FIFO')
    const [letter] = await stage.buried(stage.dead, 1)
    expect(letter?.body.toString()).toBe('a')
  })

  test('drop: the source is acknowledged though its letter could not be written, as the seed has it', async () => {
    const stage = await open(broker, delivery, { deadLetter: 'yes', onDeadLetterFailure: 'drop' })
    await stage.bare.deleteTopic(stage.dead)
    await stage.put('a')
    await stage.acknowledged()
    expect(stage.runs).toEqual(['a'])
  })
}

/** Sources that were completed before their letter was confirmed. */
function sourcesCleanedTooEarly(events: readonly string[], orders: readonly string[]): readonly string[] {
  return orders.filter((order) => {
    const sent = events.indexOf(`sent ${order}`)
    return sent < 0 || events.indexOf(`complete ${order}`) < sent
  })
}

test('a source that is completed before its letter was confirmed would be seen', () => {
  expect(sourcesCleanedTooEarly(['sent a', 'complete a', 'complete b', 'sent b', 'complete c'], ['a', 'b', 'c'])).toEqual([
    'b',
    'c',
  ])
})

await onBrokers('rocketmq', rocketmqVersions, (broker, version) => {
  describe(`seed 004 on RocketMQ ${version}`, { timeout: 360_000 }, () => onRocketmq(broker))
})
