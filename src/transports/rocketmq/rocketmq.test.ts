import { describe, expect, onTestFinished, test } from 'vitest'
import type { Broker } from '../../../scripts/brokers/start.ts'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { bareClient } from '../../../test/brokers/rocketmq.ts'
import { rocketmqVersions } from '../../../test/brokers/rocketmq-subjects.ts'
import { next, taken } from '../../../test/taken.ts'
import { until } from '../../../test/until.ts'
import { readLetter } from '../../core/dialects/read-letter.ts'
import type { Message } from '../../core/message.ts'
import type { Clock } from '../../core/ports.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Address, Delivery, Transport } from '../seam.ts'
import { examine } from './examine.ts'
import { type RocketmqOptions, rocketmq } from './rocketmq.ts'

const hold = 60_000
let names = 0
const unique = (what: string): string => `${what}-${Date.now().toString(36)}-${++names}`
const message = (text: string, rest: Partial<Message> = {}): Message => ({
  id: text,
  body: Buffer.from(text),
  headers: [],
  ...rest,
})
const complete = { kind: 'complete' } as const
const retry = { kind: 'retry', delay: 0 } as const

await onBrokers('rocketmq', rocketmqVersions, (broker, version) => {
  describe(`RocketMQ ${version}`, { timeout: 360_000 }, () => own(broker))
})

function own(broker: Broker): void {
  function open(options: Partial<RocketmqOptions> = {}): Transport {
    const transport = rocketmq({ url: broker.url, pollFor: '500ms', ...options })
    onTestFinished(() => transport.close())
    return transport
  }

  async function provisioned(transport: Transport, rest: Partial<Address> = {}): Promise<Address> {
    const address = { name: unique('own'), ...rest }
    await transport.provision({ channels: [{ address, role: 'work' }] }, 'apply')
    return address
  }

  /** A message that the broker gave up, by its own count of two deliveries. */
  async function givenUp(transport: Transport, group: string): Promise<Address> {
    await bareClient(broker.url).createGroup(group, 1)
    const work = await provisioned(transport, { group })
    await transport.send({ name: work.name }, message('tired', { type: 'order', headers: [['tenant', 'north']] }))
    const receiver = await transport.receive(work, { prefetch: 1, hold })
    for (const _ of [1, 2]) await transport.settle(await next(receiver), retry)
    const dead = { name: `%DLQ%${group}` }
    await until('the broker has given it up', async () => {
      await receiver.take(1, 500)
      return (await transport.browse(dead, { limit: 10 })).messages.length === 1
    })
    return work
  }

  test('what the broker itself gives up can be browsed in %DLQ%group, and is read as such', async () => {
    const transport = open()
    const group = unique('tired')
    const work = await givenUp(transport, group)
    const [letter] = (await transport.browse({ name: `%DLQ%${group}` }, { limit: 10 })).messages
    expect(letter?.message).toMatchObject({ id: 'tired', type: 'order', headers: [['tenant', 'north']] })
    const read = readLetter({ channel: `%DLQ%${group}`, message: letter?.message ?? message('none') })
    expect([read.dialect, read.failure.source?.channel, read.failure.group]).toEqual(['rocketmq', work.name, group])
  })

  test('letters of the broker can be received from %DLQ%group by another group', async () => {
    const transport = open()
    const group = unique('tired')
    await givenUp(transport, group)
    const dead = { name: `%DLQ%${group}`, group: unique('collector') }
    await transport.provision({ channels: [{ address: dead, role: 'dead-letter' }] }, 'apply')
    const letter = await next(await transport.receive(dead, { prefetch: 1, hold }))
    expect([letter.message.id, Buffer.from(letter.message.body ?? []).toString()]).toEqual(['tired', 'tired'])
    await transport.settle(letter, complete)
  })

  test('a letter of the broker that comes again still tells where it died', async () => {
    const transport = open()
    const group = unique('tired')
    const work = await givenUp(transport, group)
    const dead = { name: `%DLQ%${group}`, group: unique('collector') }
    await transport.provision({ channels: [{ address: dead, role: 'dead-letter' }] }, 'apply')
    const receiver = await transport.receive(dead, { prefetch: 1, hold })
    for (const times of [1, 2, 3]) {
      const { message: letter, address, ...delivery } = await next(receiver)
      const { failure } = readLetter({ channel: address.name, message: letter })
      expect([times, failure.source?.channel]).toEqual([times, work.name])
      await transport.settle({ message: letter, address, ...delivery }, times < 3 ? { kind: 'release' } : complete)
    }
  })

  test('what waits for its retry can be browsed in %RETRY%group_topic once its time has come', async () => {
    const transport = open()
    const work = await provisioned(transport, { group: unique('again') })
    await transport.send({ name: work.name }, message('again'))
    const receiver = await transport.receive(work, { prefetch: 1, hold })
    await transport.settle(await next(receiver), retry)
    await receiver.close()
    const retries = { name: `%RETRY%${work.group}_${work.name}` }
    await until('it is there', async () => (await transport.browse(retries, { limit: 1 })).messages[0]?.message.id === 'again')
    await until('it is counted', async () => (await transport.measure(work)).pending === 1)
  })

  test('closing waits for what is being sent', async () => {
    const transport = open()
    const work = await provisioned(transport)
    const sending = Promise.allSettled([1, 2, 3].map((n) => transport.send(work, message(`m${n}`))))
    await transport.close()
    expect((await sending).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
  })

  test('nobody but the broker writes to its topics', () => {
    const transport = open()
    expect(['%DLQ%g', '%RETRY%g_t', 'orders'].map((name) => transport.brokersOwn?.(name))).toEqual([true, true, false])
  })

  test('tag and keys are those of the type and the id, and stay through a letter', async () => {
    const transport = open()
    const work = await provisioned(transport)
    const dead = await provisioned(transport)
    await transport.send(work, message('m1', { type: 'order.placed' }))
    const delivery = await next(await transport.receive(work, { prefetch: 1, hold }))
    await transport.send(dead, { ...delivery.message, id: 'another', type: 'other' })
    const [seen] = await bareClient(broker.url).messagesIn(dead.name)
    expect([seen?.properties['TAGS'], seen?.properties['KEYS']]).toEqual(['order.placed', 'm1'])
  })

  test('headers that weigh more than properties may stand before the body, and come back whole', async () => {
    const transport = open()
    const work = await provisioned(transport)
    const headers = [['stack', 'at line\n'.repeat(2500)] as const, ['n', 7] as const]
    await transport.send(work, message('heavy', { headers }))
    const { message: came } = await next(await transport.receive(work, { prefetch: 1, hold }))
    expect([came.id, came.headers, Buffer.from(came.body ?? []).toString()]).toEqual(['heavy', headers, 'heavy'])
    const [browsed] = (await transport.browse(work, { limit: 1 })).messages
    expect(browsed?.message.headers).toEqual(headers)
  })

  test('a new group is given what was sent before it was there', async () => {
    const transport = open()
    const work = await provisioned(transport)
    await transport.send(work, message('before'))
    const late = { ...work, group: unique('late') }
    await transport.provision({ channels: [{ address: late, role: 'work' }] }, 'apply')
    expect((await next(await transport.receive(late, { prefetch: 1, hold }))).message.id).toBe('before')
  })

  test('what is sent to one group reaches it where no other group reads, and is refused where one does', async () => {
    const transport = open()
    const work = await provisioned(transport, { group: unique('alone') })
    await transport.send(work, message('a'))
    expect((await next(await transport.receive(work, { prefetch: 1, hold }))).message.id).toBe('a')
    await provisioned(transport, { name: work.name, group: unique('another') })
    await expect(transport.send(work, message('b'))).rejects.toMatchObject({ code: 'unsupported' })
    expect((await bareClient(broker.url).messagesIn(work.name)).map(({ body }) => body.toString())).toEqual(['a'])
  })

  test('what is browsed has the position that it has when it is received', async () => {
    const transport = open()
    const work = await provisioned(transport)
    for (const id of ['a', 'b']) await transport.send(work, message(id))
    const receiver = await transport.receive(work, { prefetch: 2, hold })
    const received = [(await next(receiver)).position, (await next(receiver)).position]
    // The broker says that it has a message a moment before it can be read.
    const browsed = (await transport.browse(work, { limit: 10 })).messages.map(({ position }) => position)
    expect([new Set(browsed).size, received.sort()]).toEqual([2, browsed.sort()])
  })

  test('a delayed message waits on a topic for delays, and is refused on others', async () => {
    const transport = open({ topics: 'delay', group: unique('delays') })
    const work = await provisioned(transport)
    const begun = systemClock.monotonic()
    await transport.send(work, message('later'), { delay: 2000 })
    await next(await transport.receive(work, { prefetch: 1, hold }))
    expect(systemClock.monotonic() - begun).toBeGreaterThanOrEqual(2000)
    const normal = open()
    await expect(normal.send(await provisioned(normal), message('a'), { delay: 1 })).rejects.toMatchObject({
      code: 'unsupported',
    })
  })

  test('a topic of another type is told by a check, and refuses what is sent', async () => {
    const fifo = open({ topics: 'fifo', group: unique('fifo') })
    const work = await provisioned(fifo)
    const normal = open()
    const told = await normal.provision({ channels: [{ address: work, role: 'work' }] }, 'check')
    expect(told.map(({ severity, what }) => `${severity} ${what}`)).toContain('fatal topic-type-differs')
    await expect(normal.send(work, message('a'))).rejects.toMatchObject({ code: 'bad-message' })
  })

  test('the doctor tells of a group that gives up too early, and of topics that are missing', async () => {
    const transport = open()
    const group = unique('hasty')
    await bareClient(broker.url).createGroup(group, 3)
    const work = await provisioned(transport, { group })
    const nowhere = { name: unique('nowhere') }
    const fine = await provisioned(transport)
    const channels = [
      { address: work, role: 'work', maxTurns: 5 },
      { address: nowhere, role: 'invalid' },
      { address: fine, role: 'dead-letter' },
    ] as const
    const told = await examine({ url: broker.url }, { wanted: { channels }, channels: [] })
    expect(told.map(({ severity, about, what }) => `${severity} ${about} ${what}`)).toEqual([
      `warning ${work.name} delivery-limit-too-low`,
      `missing ${nowhere.name} channel-missing`,
      `fine ${fine.name} topic`,
    ])
  })

  test('two channels whose names make one topic are refused', async () => {
    const channels = ['a.b', 'a-b'].map((name) => ({ address: { name }, role: 'work' as const }))
    await expect(open().provision({ channels }, 'check')).rejects.toMatchObject({ code: 'bad-option' })
  })

  test('a hold that is over by our own clock is lost, though the broker would still take its settlement', async () => {
    const fast = skewed()
    const transport = open({ clock: fast.clock })
    const work = await provisioned(transport)
    await transport.send(work, message('a'))
    const delivery = await next(await transport.receive(work, { prefetch: 1, hold }))
    fast.jump(2 * hold)
    await expect(transport.settle(delivery, complete)).rejects.toMatchObject({ code: 'hold-lost' })
    expect(delivery.hold.signal.aborted).toBe(true)
  })

  test('what was extended is settled by the handle that the broker gave then', async () => {
    const transport = open({ topics: 'fifo', group: unique('extended') })
    const work = await provisioned(transport)
    await transport.send(work, message('a', { key: 'k' }))
    const delivery = await next(await transport.receive(work, { prefetch: 1, hold }))
    for (const _ of [1, 2, 3]) await transport.extend(delivery, hold)
    await transport.settle(delivery, complete)
    await until('it is acknowledged', async () => (await transport.measure(work)).pending === 0)
  })

  test('what was completed behind a message that is retried is given to nobody again', async () => {
    const transport = open({ topics: 'fifo', group: unique('behind') })
    const work = await provisioned(transport)
    for (const id of ['first', 'second', 'third']) await transport.send(work, message(id, { key: 'k' }))
    const receiver = await transport.receive(work, { prefetch: 3, hold })
    const [first, ...behind] = await taken(receiver, 3)
    for (const delivery of behind) await transport.settle(delivery, complete)
    await transport.settle(first as Delivery, retry)
    await transport.send(work, message('fourth', { key: 'k' }))
    const again: Delivery[] = []
    for (const _ of [1, 2]) {
      const delivery = await next(receiver)
      again.push(delivery)
      await transport.settle(delivery, complete)
    }
    expect(again.map(({ message: { id }, turns }) => [id, turns])).toEqual([
      ['first', 1],
      ['fourth', 0],
    ])
    await until('everything is acknowledged', async () => (await transport.measure(work)).pending === 0)
  })

  test('of what nobody settled in order all are suspects, and the turn is counted for the first alone', async () => {
    const group = unique('abandoned')
    const holders = [1, 2, 3].map(() => open({ topics: 'fifo', group }))
    const [first, second, third] = holders as [Transport, Transport, Transport]
    const work = await provisioned(first)
    for (const id of ['a', 'b', 'c']) await first.send(work, message(id, { key: 'k' }))
    const heldFor = async (holder: Transport, ms: number, count: number): Promise<Delivery[]> =>
      taken(await holder.receive(work, { prefetch: 3, hold: ms }), count)
    const told = (deliveries: readonly Delivery[]) =>
      deliveries.map(({ message: { id }, turns, suspect }) => [id, turns, suspect])

    expect(told(await heldFor(first, 1000, 3))).toEqual([
      ['a', 0, false],
      ['b', 0, false],
      ['c', 0, false],
    ])
    const again = await heldFor(second, 10_000, 3)
    expect(told(again)).toEqual([
      ['a', 1, true],
      ['b', 0, true],
      ['c', 0, true],
    ])
    await second.settle(again[0] as Delivery, complete)
    // Whoever ran behind it alone, and ended its process, is the first now.
    expect(told(await heldFor(third, hold, 2))).toEqual([
      ['b', 2, true],
      ['c', 0, true],
    ])
  })

  test('it goes on after the broker was killed and is back', async () => {
    const transport = open()
    const work = await provisioned(transport)
    const receiver = await transport.receive(work, { prefetch: 1, hold })
    expect(await receiver.take(1, 100)).toEqual([])
    await broker.restart()
    await until('it can be sent', async () => (await transport.send(work, message('after'))).position !== undefined)
    await until('it comes', async () => (await receiver.take(1, 2000))[0]?.message.id === 'after')
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
