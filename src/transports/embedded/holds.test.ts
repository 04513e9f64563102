import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Delivery, Transport } from '../seam.ts'
import {
  gather,
  labels,
  type MovableClock,
  message,
  movableClock,
  open,
  openQueue,
  sendAll,
  temporaryFile,
  work,
} from './queue.fixture.ts'

const hour = 3_600_000
/** Leases end on whole tenths of a second. */
const pastHold = hour + 100
const complete = { kind: 'complete' } as const
const release = { kind: 'release' } as const

async function only(transport: Transport, prefetch = 10): Promise<Delivery> {
  const receiver = await transport.receive(work, { prefetch, hold: hour })
  const [delivery] = await gather(receiver, 1)
  await receiver.close()
  if (!delivery) throw new Error('Nothing came.')
  return delivery
}

describe('a lease that ends', () => {
  test('makes a suspect of what was handed out, and suspects come alone', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock })
    await sendAll(transport, 'a', 'b', 'c')
    const receiver = await transport.receive(work, { prefetch: 3, hold: hour })
    expect(await gather(receiver, 3)).toMatchObject([
      { deliveries: 1, turns: 0, suspect: false },
      { deliveries: 1, turns: 0, suspect: false },
      { deliveries: 1, turns: 0, suspect: false },
    ])
    clock.move(pastHold)
    for (const label of ['a', 'b', 'c']) {
      const batch = await receiver.take(10, 100_000)
      expect(labels(batch)).toEqual([label])
      expect(batch).toMatchObject([{ deliveries: 2, turns: 0, suspect: true }])
    }
  })

  test('counts a turn for a suspect that never comes back, and only for that one', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock })
    await sendAll(transport, 'poison')
    const turns: number[] = []
    for (let crash = 0; crash < 4; crash++) {
      turns.push((await only(transport)).turns)
      clock.move(pastHold)
    }
    expect(turns).toEqual([0, 0, 1, 2])
  })

  test('does not end the right to settle while nobody else has it', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock })
    await sendAll(transport, 'a')
    const delivery = await only(transport)
    clock.move(2 * hour)
    await transport.settle(delivery, complete)
    expect(await transport.measure(work)).toEqual({ retained: 0, pending: 0 })
  })
})

describe('a suspect', () => {
  /** `a` was in the hands of somebody who died; the receiver holds `b`. */
  async function besideAnother(clock: MovableClock, file = temporaryFile()) {
    const transport = await openQueue({ clock, file })
    await sendAll(transport, 'a', 'b')
    await only(transport, 1)
    const receiver = await transport.receive(work, { prefetch: 10, hold: 2 * hour })
    const [other] = await gather(receiver, 1)
    if (!other) throw new Error('Two were sent.')
    clock.move(pastHold)
    return { transport, receiver, other }
  }

  test('comes only to empty hands: what died beside others is blamed for nothing', async () => {
    const clock = movableClock()
    const { transport, receiver, other } = await besideAnother({ ...clock, after: () => () => {} })
    const order: string[] = []
    const taking = receiver.take(10, hour).then((batch) => {
      order.push('the suspect is given')
      return batch
    })
    await sendAll(transport, 'c')
    order.push('the other is settled')
    await transport.settle(other, complete)
    expect(await taking).toMatchObject([{ message: { id: 'a' }, suspect: true }])
    expect(order).toEqual(['the other is settled', 'the suspect is given'])
  })

  test('is never claimed ahead: nobody has it before somebody asks for it', async () => {
    const file = temporaryFile()
    const { transport, other } = await besideAnother(movableClock(), file)
    await transport.settle(other, complete)
    await sendAll(transport, 'c')
    await sendAll(transport, 'd')
    const rows = new DatabaseSync(file, { readOnly: true })
    expect(rows.prepare('SELECT deliveries, turns FROM queue ORDER BY id LIMIT 1').get()).toEqual({ deliveries: 1, turns: 0 })
    rows.close()
  })

  test('that was alone at a death stands behind those that were not', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock })
    await sendAll(transport, 'a', 'b', 'c')
    const receiver = await transport.receive(work, { prefetch: 3, hold: hour })
    await gather(receiver, 3)
    await receiver.close()
    const alone: string[] = []
    for (let death = 0; death < 6; death++) {
      clock.move(pastHold)
      alone.push(...labels([await only(transport)]))
    }
    expect(alone).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
  })

  test('does not wait for ever for hands that do not become empty', async () => {
    const { receiver } = await besideAnother(movableClock())
    expect(await gather(receiver, 1)).toMatchObject([{ message: { id: 'a' }, suspect: true }])
  })

  test('that came beside others is blamed for no death; its turn counts once it comes to empty hands', async () => {
    const clock = movableClock()
    const file = temporaryFile()
    const { receiver } = await besideAnother(clock, file)
    const rows = new DatabaseSync(file, { readOnly: true })
    onTestFinished(() => rows.close())
    const turnsOfFirst = () => rows.prepare('SELECT turns FROM queue ORDER BY id LIMIT 1').get()
    expect(labels(await gather(receiver, 1))).toEqual(['a'])
    expect(turnsOfFirst()).toEqual({ turns: 0 })
    clock.move(pastHold + 2 * hour)
    expect(labels([await only(open({ clock, file }))])).toEqual(['a'])
    expect(turnsOfFirst()).toEqual({ turns: 1 })
  })
})

describe('a delivery that somebody else has by now', () => {
  test.each([complete, release, { kind: 'retry', delay: 0 } as const])('cannot be settled: %o', async (settlement) => {
    const clock = movableClock()
    const file = temporaryFile()
    const transport = await openQueue({ clock, file })
    const other = open({ clock, file })
    await sendAll(transport, 'a')
    const delivery = await only(transport)
    clock.move(pastHold)
    const taken = await only(other)
    await expect(transport.settle(delivery, settlement)).rejects.toMatchObject({ code: 'hold-lost' })
    await expect(transport.extend(delivery, 1)).rejects.toMatchObject({ code: 'hold-lost' })
    expect(delivery.hold.signal.aborted).toBe(true)
    await other.settle(taken, complete)
    expect(await transport.measure(work)).toMatchObject({ retained: 0 })
  })

  test('is noticed by its signal, and its siblings are left in peace', async () => {
    const clock = movableClock()
    const file = temporaryFile()
    const transport = await openQueue({ clock, file })
    const other = open({ clock, file })
    await sendAll(transport, 'a', 'b')
    const receiver = await transport.receive(work, { prefetch: 2, hold: hour })
    const [first, second] = await gather(receiver, 2)
    if (!first || !second) throw new Error('Two were sent.')
    await transport.extend(second, 10 * hour)
    const lost = new Promise((resolve) => first.hold.signal.addEventListener('abort', resolve))
    clock.move(pastHold)
    expect(labels([await only(other)])).toEqual(['a'])
    await lost
    expect(second.hold.signal.aborted).toBe(false)
    await transport.settle(second, complete)
  })
})

describe('turns', () => {
  test('a retry makes one, a release makes none', async () => {
    const transport = await openQueue()
    await sendAll(transport, 'a')
    await transport.settle(await only(transport), { kind: 'retry', delay: 0 })
    await transport.settle(await only(transport), release)
    expect(await only(transport)).toMatchObject({ deliveries: 3, turns: 1, suspect: false })
  })

  test('a released suspect gets its turn back and stays a suspect', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock })
    await sendAll(transport, 'a')
    await only(transport)
    clock.move(pastHold)
    await transport.settle(await only(transport), release)
    expect(await only(transport)).toMatchObject({ deliveries: 3, turns: 0, suspect: true })
  })

  test('a retried suspect has had one turn and is no suspect any more', async () => {
    const clock = movableClock()
    const transport = await openQueue({ clock })
    await sendAll(transport, 'a')
    await only(transport)
    clock.move(pastHold)
    await transport.settle(await only(transport), { kind: 'retry', delay: 0 })
    expect(await only(transport)).toMatchObject({ turns: 1, suspect: false })
  })
})

describe('settling', () => {
  test('twice is the same as once, whichever way', async () => {
    const transport = await openQueue()
    await sendAll(transport, 'a')
    const delivery = await only(transport)
    await Promise.all([transport.settle(delivery, complete), transport.settle(delivery, release)])
    await transport.settle(delivery, { kind: 'retry', delay: 0 })
    expect(await transport.measure(work)).toMatchObject({ retained: 0 })
  })

  test('can be tried again after it failed', async () => {
    const transport = await openQueue()
    await sendAll(transport, 'a')
    const delivery = await only(transport)
    const move = { kind: 'move', to: { name: 'nowhere' }, message: message('a') } as const
    await expect(transport.settle(delivery, move)).rejects.toMatchObject({ code: 'unknown-channel' })
    await transport.settle(delivery, complete)
    expect(await transport.measure(work)).toMatchObject({ retained: 0 })
  })
})

describe('a receiver', () => {
  test('gives back, uncounted, what it claimed ahead and never gave', async () => {
    const transport = await openQueue()
    await sendAll(transport, 'a', 'b', 'c')
    const receiver = await transport.receive(work, { prefetch: 3, hold: hour })
    expect(labels(await receiver.take(1, 100_000))).toEqual(['a'])
    await receiver.close()
    const next = await transport.receive(work, { prefetch: 3, hold: hour })
    expect(await gather(next, 2)).toMatchObject([
      { message: { id: 'b' }, deliveries: 1, turns: 0, suspect: false },
      { message: { id: 'c' } },
    ])
  })

  test('what a closed transport held is released, uncounted', async () => {
    const file = temporaryFile()
    const transport = await openQueue({ file })
    await sendAll(transport, 'a', 'b')
    const receiver = await transport.receive(work, { prefetch: 2, hold: hour })
    await receiver.take(1, 100_000)
    await transport.close()
    const again = await (await openQueue({ file })).receive(work, { prefetch: 2, hold: hour })
    expect(await gather(again, 2)).toMatchObject([
      { turns: 0, suspect: false },
      { turns: 0, suspect: false },
    ])
  })
})
