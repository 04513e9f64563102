import { expect, test } from 'vitest'
import type { Message } from '../../core/message.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { type MemoryTransport, memory } from './memory.ts'

const work = { name: 'work' }
const message = (id: string): Message => ({ id, body: new TextEncoder().encode(id), headers: [] })

async function opened(clock = virtualClock()): Promise<MemoryTransport> {
  const transport = memory({ clock })
  await transport.provision({ channels: [{ address: work, role: 'work' }] }, 'apply')
  return transport
}

test('a hold that expires makes its message a suspect, which comes alone and whose turn counts', async () => {
  const clock = virtualClock()
  const transport = await opened(clock)
  await transport.send(work, message('one'))
  await transport.send(work, message('two'))
  const receiver = await transport.receive(work, { prefetch: 10, hold: 1000 })
  const crowd = await receiver.take(10, 0)
  expect(crowd.map((delivery) => delivery.turns)).toEqual([0, 0])
  await clock.advance(1000)
  const alone = await receiver.take(10, 0)
  expect(alone.map(({ message: { id }, turns, suspect }) => [id, turns, suspect])).toEqual([['one', 0, true]])
  await clock.advance(1000)
  const again = await receiver.take(10, 0)
  expect(again.map(({ message: { id }, turns, suspect }) => [id, turns, suspect])).toEqual([['one', 1, true]])
})

test('a lost connection kills its receivers, aborts its holds and leaves other connections alone', async () => {
  const transport = await opened()
  const other = transport.connect()
  await transport.send(work, message('one'))
  const receiver = await transport.receive(work, { prefetch: 1, hold: 1000 })
  const [delivery] = await receiver.take(1, 0)
  transport.faults.loseConnection()
  expect([receiver.lost.aborted, delivery?.hold.signal.aborted]).toEqual([true, true])
  const elsewhere = await other.receive(work, { prefetch: 1, hold: 1000 })
  const [redelivered] = await elsewhere.take(1, 0)
  expect([redelivered?.suspect, elsewhere.lost.aborted]).toEqual([true, false])
})

test('a fault after the write is unsure, and the message is there', async () => {
  const transport = await opened()
  transport.faults.once('send.after-write', { fail: 'unsure' })
  await expect(transport.send(work, message('one'))).rejects.toMatchObject({ code: 'unsure' })
  expect(await transport.measure(work)).toMatchObject({ retained: 1 })
  await transport.send(work, message('two'))
  expect(await transport.measure(work)).toMatchObject({ retained: 2 })
})
