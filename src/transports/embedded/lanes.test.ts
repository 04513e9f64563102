import { describe, expect, test } from 'vitest'
import type { Transport } from '../seam.ts'
import { gather, labels, message, movableClock, open, openQueue, temporaryFile, work } from './queue.fixture.ts'

const hour = 3_600_000
const complete = { kind: 'complete' } as const

/** `a1` is the first message of the key `a`. */
async function sendKeyed(transport: Transport, ...names: readonly string[]): Promise<void> {
  for (const name of names) await transport.send(work, message(name, { key: name[0] ?? '' }))
}

const receive = (transport: Transport) => transport.receive(work, { prefetch: 10, hold: hour })

describe('messages of one key', () => {
  test('go to one receiver at a time, together and in order', async () => {
    const transport = await openQueue({}, { lanes: true })
    await sendKeyed(transport, 'a1', 'b1', 'a2', 'a3')
    const [first, second] = [await receive(transport), await receive(transport)]
    const held = await gather(first, 4)
    expect(labels(held)).toEqual(['a1', 'b1', 'a2', 'a3'])
    expect(held.map(({ lane }) => lane)).toEqual(['a', 'b', 'a', 'a'])
    await sendKeyed(transport, 'a4', 'c1')
    expect(labels(await gather(second, 1))).toEqual(['c1'])
    expect(await second.take(10, 0)).toEqual([])
    await first.close()
    await Promise.all(held.map((delivery) => transport.settle(delivery, complete)))
    expect(labels(await gather(second, 1))).toEqual(['a4'])
  })

  test('wait for an earlier one that is delayed', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock }, { lanes: true })
    await sendKeyed(transport, 'a1', 'a2', 'b1')
    const receiver = await receive(transport)
    const [a1, a2, b1] = await gather(receiver, 3)
    if (!a1 || !a2 || !b1) throw new Error('Three were sent.')
    await transport.settle(a1, { kind: 'retry', delay: hour })
    await transport.settle(a2, { kind: 'release' })
    expect(await receiver.take(10, 0)).toEqual([])
    clock.move(hour)
    expect(labels(await gather(receiver, 2))).toEqual(['a1', 'a2'])
  })

  test('are not handed out while somebody holds a later one of them', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock }, { lanes: true })
    await sendKeyed(transport, 'a1', 'a2')
    const receiver = await receive(transport)
    const [a1, a2] = await gather(receiver, 2)
    if (!a1 || !a2) throw new Error('Two were sent.')
    await transport.settle(a1, { kind: 'release' })
    expect(await receiver.take(10, 0)).toEqual([])
    const waiting = receiver.take(10, 100_000)
    await transport.settle(a2, { kind: 'release' })
    expect(labels(await waiting)).toEqual(['a1', 'a2'])
  })

  test('that are due and cannot be handed out keep back nothing else that is due', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock }, { lanes: true })
    await sendKeyed(transport, 'a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1')
    const holder = await receive(transport)
    const held = await gather(holder, 7)
    await holder.close()
    const retry = (label: string): Promise<void> =>
      transport.settle(held[labels(held).indexOf(label)] ?? expect.fail('All were sent.'), { kind: 'retry', delay: 1000 })
    for (const label of ['a1', 'b1', 'c1']) await retry(label)
    clock.move(1)
    await retry('d1')
    clock.move(1000)
    const receiver = await transport.receive(work, { prefetch: 1, hold: hour })
    expect(labels(await receiver.take(1, 10_000))).toEqual(['d1'])
  })

  test('are free again when the lease of whoever held a later one has ended', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock }, { lanes: true })
    await sendKeyed(transport, 'a1', 'a2')
    const receiver = await receive(transport)
    const [a1] = await gather(receiver, 2)
    if (!a1) throw new Error('Two were sent.')
    await transport.settle(a1, { kind: 'release' })
    clock.move(hour + 100)
    expect(labels(await receiver.take(10, 100_000))).toEqual(['a1'])
    expect(await receiver.take(10, 0)).toEqual([])
  })

  test('cannot be settled by who lost the lane, once somebody else has taken over an earlier one', async () => {
    const clock = movableClock()
    const file = temporaryFile()
    const slow = await openQueue({ clock, file }, { lanes: true })
    await sendKeyed(slow, 'a1', 'a2')
    const stalled = await receive(slow)
    const [, a2] = await gather(stalled, 2)
    await stalled.close()
    clock.move(2 * hour)
    const quick = open({ clock, file })
    expect(labels(await gather(await receive(quick), 1))).toEqual(['a1'])
    await expect(slow.settle(a2 ?? expect.fail('Two were sent.'), complete)).rejects.toMatchObject({ code: 'hold-lost' })
  })

  test('share a claim fairly: a long lane does not keep others out', async () => {
    const transport = await openQueue({}, { lanes: true })
    await sendKeyed(transport, ...Array.from({ length: 20 }, (_, n) => `a${n}`), 'b1', 'c1')
    const receiver = await receive(transport)
    expect(labels(await receiver.take(10, 100_000))).toEqual(expect.arrayContaining(['a0', 'b1', 'c1']))
  })

  test('stay ordered when one leaves by another door', async () => {
    const transport = await openQueue({}, { lanes: true })
    await sendKeyed(transport, 'a1', 'a2', 'a3')
    const [first] = (await transport.browse(work, { limit: 1 })).messages
    expect(await transport.remove(work, first?.position ?? '')).toBe(true)
    const receiver = await receive(transport)
    expect(labels(await gather(receiver, 2))).toEqual(['a2', 'a3'])
  })

  test('keys that are bytes are lanes too', async () => {
    const transport = await openQueue({}, { lanes: true })
    const key = Uint8Array.of(255, 0)
    await transport.send(work, message('1', { key }))
    await transport.send(work, message('2', { key }))
    const receiver = await receive(transport)
    const [first] = await receiver.take(1, 100_000)
    expect(first).toMatchObject({ lane: '0xff00', message: { key } })
  })
})

test('without lanes, keys do not hold anybody up', async () => {
  const transport = await openQueue()
  await sendKeyed(transport, 'a1', 'a2')
  const [first, second] = [
    await transport.receive(work, { prefetch: 1, hold: hour }),
    await transport.receive(work, { prefetch: 1, hold: hour }),
  ]
  expect([...labels(await gather(first, 1)), ...labels(await gather(second, 1))].sort()).toEqual(['a1', 'a2'])
})
