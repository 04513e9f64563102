import { expect, test } from 'vitest'
import { RedriveError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Delivery, Receiver } from '../seam.ts'
import { createFaults, type MemoryTransport, memory } from './memory.ts'

const work = { name: 'work' }
const dead = { name: 'dead' }
const message = (id: string): Message => ({ id, body: new TextEncoder().encode(id), headers: [] })
const ids = (batch: readonly Delivery[]): (string | undefined)[] => batch.map((delivery) => delivery.message.id)
const complete = { kind: 'complete' } as const

async function opened(clock = virtualClock()): Promise<{ transport: MemoryTransport; receiver: Receiver }> {
  const transport = memory({ clock })
  const channels = [
    { address: work, role: 'work', deadLetterTo: dead },
    { address: dead, role: 'dead-letter' },
  ] as const
  await transport.provision({ channels }, 'apply')
  return { transport, receiver: await transport.receive(work, { prefetch: 10, hold: 1000 }) }
}

async function oneHeld(clock = virtualClock()) {
  const { transport, receiver } = await opened(clock)
  await transport.send(work, message('one'))
  const [delivery] = await receiver.take(1, 0)
  return { transport, receiver, delivery: delivery ?? expect.unreachable() }
}

test('a lost connection kills its receivers, aborts its holds and leaves other connections alone', async () => {
  const { transport, receiver, delivery } = await oneHeld()
  const other = transport.connect()
  transport.faults.loseConnection()
  expect(receiver.lost.reason).toBeInstanceOf(RedriveError)
  expect(delivery.hold.signal.reason).toMatchObject({ code: 'hold-lost' })
  await expect(transport.settle(delivery, complete)).rejects.toMatchObject({ code: 'hold-lost' })
  const elsewhere = await other.receive(work, { prefetch: 1, hold: 1000 })
  const [again] = await elsewhere.take(1, 0)
  expect([again?.suspect, elsewhere.lost.aborted]).toEqual([true, false])
})

test('after a lost connection one can receive anew', async () => {
  const { transport, receiver } = await opened()
  transport.faults.loseConnection()
  expect(await receiver.take(1, 60_000)).toEqual([])
  await transport.send(work, message('one'))
  const anew = await transport.receive(work, { prefetch: 1, hold: 1000 })
  expect(ids(await anew.take(1, 0))).toEqual(['one'])
})

test('a take that waits ends when the connection is lost', async () => {
  const { transport, receiver } = await opened()
  const waiting = receiver.take(1, 60_000)
  transport.faults.loseConnection()
  expect(await waiting).toEqual([])
})

test('a fault before the write is an error, and nothing is there', async () => {
  const { transport } = await opened()
  transport.faults.once('send.before-write', { fail: 'refused' })
  await expect(transport.send(work, message('one'))).rejects.toMatchObject({ code: 'refused' })
  expect(await transport.measure(work)).toMatchObject({ retained: 0 })
})

test('a fault after the write is unsure, and the message is there', async () => {
  const { transport } = await opened()
  transport.faults.once('send.after-write', { loseConnection: true })
  await expect(transport.send(work, message('one'))).rejects.toMatchObject({ code: 'unsure' })
  expect(await transport.measure(work)).toMatchObject({ retained: 1 })
})

test('a settlement whose answer is lost is unsure, and settled', async () => {
  const { transport, delivery } = await oneHeld()
  transport.faults.once('settle.complete.after-write', { fail: 'unsure' })
  await expect(transport.settle(delivery, complete)).rejects.toMatchObject({ code: 'unsure' })
  expect(await transport.measure(work)).toMatchObject({ retained: 0 })
})

test('a settlement whose connection breaks before the write is unsure, and the message comes again', async () => {
  const { transport, delivery } = await oneHeld()
  transport.faults.once('settle.complete', { loseConnection: true })
  await expect(transport.settle(delivery, complete)).rejects.toMatchObject({ code: 'unsure' })
  expect(await transport.measure(work)).toMatchObject({ retained: 1 })
})

test('a channel that refuses takes no send, no move and no reject, and loses nothing', async () => {
  const { transport, delivery } = await oneHeld()
  const heal = transport.faults.refuse(dead)
  const failure = { reason: 'x', description: '', errorType: '', class: 'permanent', at: 0, attempts: 1, deliveries: 1 } as const
  const attempts = [
    transport.send(dead, message('two')),
    transport.settle(delivery, { kind: 'move', to: dead, message: delivery.message }),
    transport.settle(delivery, { kind: 'reject', failure }),
  ]
  for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: 'refused' })
  expect(await transport.measure(work)).toMatchObject({ retained: 1 })
  heal()
  await transport.settle(delivery, { kind: 'reject', failure })
  expect([await transport.measure(work), await transport.measure(dead)]).toMatchObject([{ retained: 0 }, { retained: 1 }])
})

test('a delay holds a step back for as long as it says', async () => {
  const clock = virtualClock()
  const { transport } = await opened(clock)
  transport.faults.on('send.before-write', { delay: 500 })
  const sending = transport.send(work, message('one'))
  await clock.advance(499)
  expect(await transport.measure(work)).toMatchObject({ retained: 0 })
  await clock.advance(1)
  await sending
  expect(await transport.measure(work)).toMatchObject({ retained: 1 })
})

test('a message can be duplicated and a batch reordered', async () => {
  const { transport, receiver } = await opened()
  transport.faults.once('send.after-write', { duplicate: true })
  await transport.send(work, message('one'))
  await transport.send(work, message('two'))
  transport.faults.once('take', { reorder: true })
  expect(ids(await receiver.take(10, 0))).toEqual(['two', 'one', 'one'])
})

test('a rule can look at the occasion, and is off when it is told', async () => {
  const { transport } = await opened()
  const off = transport.faults.on('send.before-write', (about) => (about.message?.id === 'two' ? { fail: 'refused' } : undefined))
  await transport.send(work, message('one'))
  await expect(transport.send(work, message('two'))).rejects.toMatchObject({ code: 'refused' })
  off()
  await transport.send(work, message('two'))
})

test('a broker that is down is unreachable until it is up again', async () => {
  const { transport, receiver } = await opened()
  transport.faults.down()
  expect(await receiver.take(1, 0)).toEqual([])
  for (const attempt of [transport.measure(work), transport.send(work, message('one')), transport.browse(work, { limit: 1 })]) {
    await expect(attempt).rejects.toMatchObject({ code: 'unreachable' })
  }
  transport.faults.up()
  await transport.send(work, message('one'))
})

test('every other step can fail as well', async () => {
  const { transport, receiver, delivery } = await oneHeld()
  const steps = ['provision', 'receive', 'take', 'extend', 'browse', 'remove', 'measure'] as const
  for (const step of steps) transport.faults.on(step, { fail: 'unreachable' })
  const attempts = [
    transport.provision({ channels: [] }, 'check'),
    transport.receive(work, { prefetch: 1, hold: 1 }),
    receiver.take(1, 0),
    transport.extend(delivery, 1),
    transport.browse(work, { limit: 1 }),
    transport.remove(work, '1'),
    transport.measure(work),
  ]
  for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: 'unreachable' })
  transport.faults.clear()
  await transport.settle(delivery, complete)
})

test('transports that share their faults fail together', async () => {
  const faults = createFaults()
  const one = memory({ faults })
  const two = one.connect({ faults })
  faults.on('measure', { fail: 'unreachable' })
  for (const transport of [one, two]) await expect(transport.measure(work)).rejects.toMatchObject({ code: 'unreachable' })
})
