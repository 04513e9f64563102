import type { Channel, ConsumeMessage } from 'amqplib'
import { describe, expect, test } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { type Consumer, createCredit } from './credit.ts'

/** A channel whose consumers deliver when the test says so. */
function setUp(usual: number) {
  const clock = virtualClock()
  const consumers = new Map<
    string,
    { prefetch: number; deliver: (raw: ConsumeMessage) => void; consumer?: Consumer | undefined }
  >()
  const given: Consumer[] = []
  let prefetch = 0
  let started = 0
  let heldBack = false
  const channel = {
    async prefetch(count: number) {
      prefetch = count
    },
    async consume(_queue: string, deliver: (raw: ConsumeMessage) => void) {
      const consumerTag = `consumer-${++started}`
      consumers.set(consumerTag, { prefetch, deliver })
      return { consumerTag }
    },
    cancel: async (tag: string) => void consumers.delete(tag),
  } as unknown as Channel
  const credit = createCredit({
    channel,
    queue: 'orders',
    clock,
    usual,
    accept: (_raw, consumer) => void given.push(consumer),
    failed: (cause) => {
      throw cause
    },
    holdBack() {
      heldBack = true
    },
    goOn() {
      heldBack = false
    },
  })
  return {
    clock,
    credit,
    isHeldBack: () => heldBack,
    prefetches: () => [...consumers.values()].map((consumer) => consumer.prefetch),
    /** By the consumer that was started so many ones after the first. */
    deliver: (by: number, count = 1) => {
      for (let left = count; left > 0; left--) consumers.get(`consumer-${by + 1}`)?.deliver({} as ConsumeMessage)
    },
    /** All that the broker may send. */
    deliverAll: () => {
      for (const each of consumers.values()) {
        while ((each.consumer?.out ?? 0) < each.prefetch) {
          each.deliver({} as ConsumeMessage)
          each.consumer = given.at(-1)
        }
      }
    },
    settle: (count: number) => {
      for (const consumer of given.slice(0, count)) credit.settled(consumer)
    },
    write: (count: number) => {
      for (const consumer of given.splice(0, count)) {
        if (consumer.unsettled === consumer.out) credit.settled(consumer)
        credit.written(consumer)
      }
    },
    async growTo(...wanted: number[]) {
      for (const each of wanted) await credit.fit(each, 0)
    },
    /** In five pieces, which have cost as much as it will cost to put them together. */
    async growInPieces() {
      for (const each of [1, 2, 4, 8, 16]) await credit.fit(each, 0)
      for (let ranges = 125; ranges > 0; ranges--) credit.rangeWritten()
    },
  }
}

describe('credit', () => {
  test('grows by one more consumer at a time, and tells how much is out at most', async () => {
    const { credit, growTo, prefetches } = setUp(16)
    await growTo(1, 2, 4)
    expect([prefetches(), credit.allowed]).toEqual([[1, 1, 2], 4])
  })

  test('does not grow by a little while some of it is left, and does when none is', async () => {
    const { growTo, deliver, prefetches } = setUp(16)
    await growTo(12, 14)
    expect(prefetches()).toEqual([12])
    deliver(0, 12)
    await growTo(14)
    expect(prefetches()).toEqual([12, 2])
  })

  test('that has stopped growing is put together when the broker has sent all that it may, and goes on when that is settled', async () => {
    const { credit, clock, growTo, growInPieces, deliverAll, write, prefetches, isHeldBack } = setUp(16)
    await growInPieces()
    expect(prefetches()).toEqual([1, 1, 2, 4, 8])
    const merging = credit.fit(16, 0)
    await clock.settle()
    expect([prefetches(), isHeldBack()]).toEqual([[1, 1, 2, 4, 8], true])
    deliverAll()
    await merging
    expect([prefetches(), isHeldBack()]).toEqual([[], false])
    write(15)
    await growTo(16)
    expect(prefetches()).toEqual([])
    write(1)
    expect(prefetches()).toEqual([16])
  })

  test('is not put together before it is all there: the next growth would make two of it', async () => {
    const { credit, growTo, deliverAll, prefetches } = setUp(16)
    await growTo(1, 2, 4, 8)
    for (let ranges = 1000; ranges > 0; ranges--) credit.rangeWritten()
    deliverAll()
    await growTo(8)
    expect(prefetches()).toEqual([1, 1, 2, 4])
  })

  test('is not put together before its pieces have cost as much as that does', async () => {
    const { credit, growTo, deliverAll, prefetches } = setUp(16)
    await growTo(1, 2, 4, 8, 16)
    deliverAll()
    for (let ranges = 124; ranges > 0; ranges--) credit.rangeWritten()
    await growTo(16)
    expect(prefetches()).toEqual([1, 1, 2, 4, 8])
    credit.rangeWritten()
    await growTo(16)
    expect(prefetches()).toEqual([])
  })

  test('stays where little is wanted only until the broker has answered for the rest, and shrinks where that is all', async () => {
    const { credit, growTo, deliverAll, prefetches } = setUp(16)
    await growTo(16)
    deliverAll()
    await credit.fit(2, 30)
    expect(prefetches()).toEqual([16])
    await credit.fit(2, 2)
    expect(prefetches()).toEqual([])
  })

  test('has nothing to wait for where nothing changes', async () => {
    const { credit, growTo } = setUp(16)
    await growTo(16)
    expect(credit.fit(16, 0)).toBeUndefined()
  })

  test('that was put together goes on with what is settled where the rest takes longer', async () => {
    const { clock, growTo, growInPieces, deliverAll, write, prefetches } = setUp(16)
    await growInPieces()
    deliverAll()
    write(1)
    deliverAll()
    await growTo(16)
    write(10)
    await clock.advance(20)
    expect(prefetches()).toEqual([10])
    write(6)
    await growTo(16)
    expect(prefetches()).toEqual([10, 6])
  })

  test('gives as much as was asked for last, when it was put together', async () => {
    const { growTo, growInPieces, deliverAll, write, prefetches } = setUp(16)
    await growInPieces()
    deliverAll()
    write(1)
    deliverAll()
    await growTo(16, 12)
    write(16)
    expect(prefetches()).toEqual([12])
  })

  test('stays in pieces while the broker is silent, since something may be on its way, and is put together later', async () => {
    const { credit, clock, growTo, growInPieces, deliverAll, write, prefetches, isHeldBack } = setUp(16)
    await growInPieces()
    const merging = credit.fit(16, 0)
    await clock.advance(100)
    await merging
    expect([prefetches(), isHeldBack()]).toEqual([[1, 1, 2, 4, 8], false])
    await growTo(16)
    await clock.advance(1000)
    const again = credit.fit(16, 0)
    await clock.settle()
    deliverAll()
    await again
    write(16)
    expect(prefetches()).toEqual([16])
  })

  test('waits again when something came in the meantime', async () => {
    const { credit, clock, growTo, deliver, prefetches } = setUp(16)
    await growTo(8)
    const shrinking = credit.fit(2, 0)
    await clock.advance(60)
    deliver(0)
    await clock.advance(99)
    expect(prefetches()).toEqual([8])
    await clock.advance(1)
    await shrinking
    expect(prefetches()).toEqual([1])
  })

  test('that shrinks takes what is still out off the new one', async () => {
    const { credit, growTo, deliver, write, prefetches } = setUp(16)
    await growTo(8)
    deliver(0, 8)
    await growTo(2)
    expect(prefetches()).toEqual([])
    write(7)
    await growTo(2)
    expect([prefetches(), credit.allowed]).toEqual([[1], 9])
  })

  test('grows again for what is settled, before that is written', async () => {
    const { growTo, deliver, settle, prefetches } = setUp(16)
    await growTo(8)
    deliver(0, 8)
    await growTo(2)
    settle(7)
    await growTo(2)
    expect(prefetches()).toEqual([1])
  })

  test('counts what has left until the broker has taken all that was written for it', async () => {
    const { credit, growTo, deliver, write } = setUp(16)
    await growTo(8)
    deliver(0, 8)
    await growTo(2)
    credit.forget(credit.finished)
    expect(credit.allowed).toBe(8)
    write(8)
    await growTo(2)
    credit.forget(credit.finished)
    expect(credit.allowed).toBe(2)
  })

  test('takes nobody for gone who may still be sent something', async () => {
    const { credit, clock, growTo, deliver, write } = setUp(16)
    await growTo(8)
    deliver(0, 4)
    write(4)
    const shrinking = credit.fit(2, 0)
    await clock.advance(50)
    expect(credit.finished).toEqual([])
    await clock.advance(50)
    await shrinking
    expect(credit.finished).toHaveLength(1)
  })

  test('waits no longer than a second where messages come slowly and never stop', async () => {
    const { credit, clock, growTo, deliver, prefetches } = setUp(1000)
    await growTo(1000)
    const shrinking = credit.fit(100, 0)
    for (let waited = 0; waited < 1000; waited += 50) {
      expect(prefetches()).toEqual([1000])
      deliver(0)
      await clock.advance(50)
    }
    await clock.advance(100)
    await shrinking
    expect(prefetches()).toEqual([80])
  })

  test('that stops does not wait for what is on its way', async () => {
    const { credit, growTo, prefetches, isHeldBack } = setUp(16)
    await growTo(8)
    const shrinking = credit.fit(2, 0)
    await credit.stop()
    await shrinking
    expect([prefetches(), isHeldBack()]).toEqual([[], false])
  })
})
