import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { header } from '../../core/headers.ts'
import { dead, gather, labels, message, movableClock, openQueue, sendAll, temporaryFile, work } from './queue.fixture.ts'

const hour = 3_600_000

describe('group commit', () => {
  test('requests that are made close together share one commit', async () => {
    const commits: number[] = []
    const transport = await openQueue({ onCommit: (requests) => commits.push(requests) })
    commits.length = 0
    await sendAll(transport, ...Array.from({ length: 200 }, (_, n) => String(n)))
    expect(commits).toEqual([200])
  })

  test('settlements and the claim that follows them share one commit', async () => {
    const commits: number[] = []
    const transport = await openQueue({ onCommit: (requests) => commits.push(requests) })
    await sendAll(transport, ...Array.from({ length: 20 }, (_, n) => String(n)))
    const receiver = await transport.receive(work, { prefetch: 10, hold: hour })
    const first = await receiver.take(10, 100_000)
    commits.length = 0
    await Promise.all(first.map((delivery) => transport.settle(delivery, { kind: 'complete' })))
    expect(await receiver.take(10, 100_000)).toHaveLength(10)
    expect(commits).toEqual([11])
  })

  test('one request that fails does not fail its neighbours', async () => {
    const transport = await openQueue()
    const [good, bad, alsoGood] = await Promise.allSettled([
      transport.send(work, message('a')),
      transport.send({ name: 'nowhere' }, message('b')),
      transport.send(work, message('c')),
    ])
    expect([good.status, alsoGood.status]).toEqual(['fulfilled', 'fulfilled'])
    expect(bad).toMatchObject({ reason: { code: 'unknown-channel' } })
    expect(await transport.measure(work)).toMatchObject({ retained: 2 })
  })
})

test('a lock of another process is waited for once, by all that was asked together', async () => {
  const file = temporaryFile()
  const busyTimeout = 300
  const transport = await openQueue({ file, busyTimeout })
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const sending = Promise.allSettled(Array.from({ length: 20 }, (_, n) => transport.send(work, message(String(n)))))
  // So long somebody else keeps the lock: who waited for it once for each would have the last of them written.
  const unlocking = setTimeout(() => other.exec('COMMIT'), 4 * busyTimeout)
  onTestFinished(() => {
    clearTimeout(unlocking)
    other.close()
  })
  const refused = (await sending).filter((each) => each.status === 'rejected')
  expect(refused.map(({ reason }) => reason.code)).toEqual(Array(20).fill('refused'))
})

describe('time to live', () => {
  test('what is too old goes to the dead-letter channel instead of a receiver', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock }, { ttl: hour })
    await sendAll(transport, 'old')
    clock.move(hour)
    await sendAll(transport, 'young')
    const receiver = await transport.receive(work, { prefetch: 10, hold: hour })
    expect(labels(await gather(receiver, 1))).toEqual(['young'])
    const [letter] = (await transport.browse(dead, { limit: 10 })).messages
    expect(header(letter?.message.headers ?? [], 'redrive-reason')).toBe('Expired')
    expect(letter?.message.body).toEqual(new TextEncoder().encode('old'))
    expect(await transport.measure(work)).toMatchObject({ retained: 1 })
  })

  test('it goes there by itself when nobody receives', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock, sweepEvery: 10 }, { ttl: hour })
    await sendAll(transport, 'old', 'delayed too')
    const letters = await transport.receive(dead, { prefetch: 10, hold: hour })
    clock.move(hour)
    expect(labels(await gather(letters, 2))).toEqual(['old', 'delayed too'])
  })

  test('what is held does not expire under its holder', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock, sweepEvery: 10 }, { ttl: hour })
    await sendAll(transport, 'held', 'waiting')
    const receiver = await transport.receive(work, { prefetch: 1, hold: 3 * hour })
    const [held] = await gather(receiver, 1)
    clock.move(2 * hour)
    expect(labels(await gather(await transport.receive(dead, { prefetch: 10, hold: hour }), 1))).toEqual(['waiting'])
    if (held) await transport.settle(held, { kind: 'complete' })
    expect(await transport.measure(work)).toMatchObject({ retained: 0 })
  })

  test('nothing expires where it would be lost, and provisioning says so', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock })
    const channel = { address: { name: 'mortal' }, role: 'work', ttl: hour } as const
    expect(await transport.provision({ channels: [channel] }, 'apply')).toMatchObject([
      { severity: 'created' },
      { severity: 'fatal', what: 'expiry-loses' },
    ])
    await transport.send(channel.address, message('a'))
    clock.move(2 * hour)
    expect(labels(await gather(await transport.receive(channel.address, { prefetch: 1, hold: hour }), 1))).toEqual(['a'])
  })
})

describe('rejecting', () => {
  test('moves the message to the dead-letter channel with its failure', async () => {
    const transport = await openQueue()
    await sendAll(transport, 'a')
    const [delivery] = await gather(await transport.receive(work, { prefetch: 1, hold: hour }), 1)
    if (!delivery) throw new Error('One was sent.')
    const failure = {
      reason: 'Mine',
      description: 'why',
      errorType: 'TypeError',
      class: 'permanent',
      at: 5,
      attempts: 2,
      deliveries: 3,
    } as const
    await transport.settle(delivery, { kind: 'reject', failure })
    const [letter] = (await transport.browse(dead, { limit: 1 })).messages
    expect(Object.fromEntries(letter?.message.headers ?? [])).toMatchObject({
      'redrive-reason': 'Mine',
      'redrive-description': 'why',
      'redrive-origin-channel': 'work',
      'redrive-origin-position': delivery.position,
      'redrive-failed-attempts': '2',
    })
    expect(await transport.measure(work)).toMatchObject({ retained: 0 })
  })
})

describe('deduplication', () => {
  test('lasts for a day, is told, and names the first message', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock })
    const first = await transport.send(work, message('a'), { dedupId: 'x' })
    const second = await transport.send(work, message('b'), { dedupId: 'x' })
    expect(second).toEqual({ position: first.position, duplicate: true })
    clock.move(24 * hour)
    expect(await transport.send(work, message('c'), { dedupId: 'x' })).toMatchObject({ duplicate: false })
    expect(await transport.measure(work)).toMatchObject({ retained: 2 })
  })
})

describe('counts', () => {
  test('are those of the rows, whatever happened to them', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock }, { ttl: 10 * hour })
    await sendAll(transport, ...Array.from({ length: 30 }, (_, n) => String(n)))
    const receiver = await transport.receive(work, { prefetch: 10, hold: hour })
    const held = await gather(receiver, 10)
    await Promise.all(
      held.map((delivery, index) => {
        if (index < 3) return transport.settle(delivery, { kind: 'complete' })
        if (index < 5) return transport.settle(delivery, { kind: 'move', to: dead, message: delivery.message })
        return transport.settle(delivery, { kind: 'release' })
      }),
    )
    const [first] = (await transport.browse(work, { limit: 1 })).messages
    await receiver.close()
    await transport.remove(work, first?.position ?? '')
    expect(await transport.measure(work)).toMatchObject({ retained: 24, pending: 24 })
    expect((await transport.browse(work, { limit: 100 })).messages).toHaveLength(24)
    expect(await transport.measure(dead)).toMatchObject({ retained: 2 })
  })
})

test('a position is never given twice', async () => {
  const file = temporaryFile()
  const transport = await openQueue({ file })
  const { position } = await transport.send(work, message('a'))
  await transport.remove(work, position ?? '')
  await transport.close()
  expect((await (await openQueue({ file })).send(work, message('b'))).position).not.toBe(position)
})
