import type { Channel, ConsumeMessage } from 'amqplib'
import { describe, expect, test } from 'vitest'
import { createCredit, type Generation } from './credit.ts'

/** A channel whose consumers deliver when the test says so. */
function setUp(usual: number) {
  const consumers = new Map<string, { prefetch: number; deliver: (raw: ConsumeMessage) => void }>()
  const given: Generation[] = []
  let prefetch = 0
  let started = 0
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
    usual,
    accept: (_raw, generation) => void given.push(generation),
    failed: (cause) => {
      throw cause
    },
  })
  return {
    credit,
    prefetches: () => [...consumers.values()].map((consumer) => consumer.prefetch),
    deliver: () => [...consumers.values()].at(-1)?.deliver({} as ConsumeMessage),
    settleOne: () => credit.settled(given.shift() as Generation),
    async growTo(...wanted: number[]) {
      for (const each of wanted) await credit.fit(each)
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
    for (let count = 0; count < 12; count++) deliver()
    await growTo(14)
    expect(prefetches()).toEqual([12, 2])
  })

  test('that has stopped growing in many pieces becomes one consumer, once', async () => {
    const { growTo, prefetches } = setUp(16)
    await growTo(1, 2, 4, 8, 16)
    expect(prefetches()).toEqual([1, 1, 2, 4, 8])
    await growTo(8)
    expect(prefetches()).toEqual([16])
  })

  test('is not exchanged while much of it is out, and what is out is taken off the new one', async () => {
    const { credit, growTo, deliver, settleOne, prefetches } = setUp(16)
    await growTo(1, 2, 4, 8, 16)
    for (let count = 0; count < 9; count++) deliver()
    await growTo(16)
    expect(prefetches()).toHaveLength(5)
    settleOne()
    await growTo(16)
    expect([prefetches(), credit.allowed]).toEqual([[8], Number.POSITIVE_INFINITY])
  })

  test('says nothing about what is out until the broker knows that all of an earlier generation is settled', async () => {
    const { credit, growTo, deliver, settleOne } = setUp(16)
    await growTo(8)
    deliver()
    const before = credit.only
    await growTo(2)
    if (before) credit.caughtUp(before)
    expect([credit.only, credit.allowed]).toEqual([undefined, Number.POSITIVE_INFINITY])
    settleOne()
    if (credit.only) credit.caughtUp(credit.only)
    expect(credit.allowed).toBe(1)
  })
})
