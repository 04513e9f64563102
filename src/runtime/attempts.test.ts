import { describe, expect, it } from 'vitest'
import { decoded, provision, testingWorld } from '../../test/testing-world.ts'
import { textHeader } from '../core/headers.ts'
import { redriveHeaders } from '../core/letter.ts'
import type { Context } from './context.ts'

const longAfter = 3_600_000
const fails = (): never => {
  throw new Error('the gateway is unavailable')
}

describe('attempts through the consumer', () => {
  it('seed 000: immediate 3, no delayed retry → 4 runs in one turn, then one dead letter', async () => {
    const world = testingWorld()
    const seen: Context[] = []
    await world.consume((_, ctx) => seen.push(ctx) && fails(), { retry: { immediate: 3, delayed: { retries: 0 } } })
    await world.put('poison', { id: 'm-1' })
    expect(seen.map(({ attempt, deliveries }) => [attempt, deliveries])).toEqual(Array(4).fill([1, 1]))
    expect(await world.letters()).toHaveLength(1)
    expect(world.of('dead-lettered')).toMatchObject([{ reason: 'MaxDeliveryCountExceeded', messageId: 'm-1', deliveries: 1 }])
  })

  it('seed 001: MaxDeliveryCount 3 → 3 runs, dead-lettered at the third delivery', async () => {
    const world = testingWorld()
    let runs = 0
    await world.consume(() => ++runs && fails(), { maxDeliveryCount: 3 })
    await world.put('poison')
    await world.clock.advance(longAfter)
    expect(runs).toBe(3)
    expect(world.of('dead-lettered')).toMatchObject([{ reason: 'MaxDeliveryCountExceeded', attempt: 3, deliveries: 3 }])
    expect(await world.letters('work')).toEqual([])
  })

  it.each(['turns', 'deliveries'] as const)(
    'seed 001: a fourth delivery is PoisonMessage without a run, by %s',
    async (poison) => {
      const world = testingWorld()
      await provision(world.broker)
      await world.put('poison')
      for (let delivery = 1; delivery <= 3; delivery++) {
        const receiver = await world.broker.receive({ name: 'work' }, { prefetch: 1, hold: 1000 })
        for (const taken of await receiver.take(1, 0)) await world.broker.settle(taken, { kind: 'retry', delay: 0 })
        await receiver.close()
      }
      let runs = 0
      await world.consume(() => ++runs, { maxDeliveryCount: 3, poison })
      await world.clock.settle()
      expect(runs).toBe(0)
      const description = 'Message exceeded maximum delivery count of 3'
      expect(world.of('dead-lettered')).toMatchObject([{ reason: 'PoisonMessage', description, deliveries: 4 }])
    },
  )

  it('seed 002: the handler sees retry count 0, 1, 2; exactly one letter', async () => {
    const world = testingWorld()
    const counts: number[] = []
    await world.consume((_, ctx) => counts.push(ctx.retryCount) && fails(), { retry: { delayed: { retries: 2 } } })
    await world.put('settlement')
    await world.clock.advance(longAfter)
    expect(counts).toEqual([0, 1, 2])
    expect(await world.letters()).toHaveLength(1)
  })

  it('seed 003: max_retries 3 → 4 runs, retry_count 3 in the payload', async () => {
    const world = testingWorld()
    let runs = 0
    await world.consume(() => ++runs && fails(), { retry: { delayed: { retries: 3 } }, dialect: 'onex' })
    await world.put({ order: 1 })
    await world.clock.advance(longAfter)
    const [letter] = await world.letters()
    expect(runs).toBe(4)
    expect(decoded(letter)).toMatchObject({ retry_count: 3, original_topic: 'work', error_type: 'Error' })
    expect(textHeader(letter?.headers ?? [], 'max_retries')).toBe('3')
  })

  it('counts runs of earlier turns: 2 immediate × 2 turns give retry counts 0 to 3', async () => {
    const world = testingWorld()
    const counts: number[] = []
    const retry = { immediate: 1, delayed: { retries: 1 } }
    await world.consume((_, ctx) => counts.push(ctx.retryCount) && fails(), { retry })
    await world.put('x')
    await world.clock.advance(longAfter)
    expect(counts).toEqual([0, 1, 2, 3])
    expect(world.logs).toContainEqual(expect.objectContaining({ message: 'At most 4 handler runs per message' }))
  })

  it('counts turns of earlier copies by their header', async () => {
    const world = testingWorld()
    const attempts: number[] = []
    await world.consume((_, ctx) => attempts.push(ctx.attempt) && fails(), { maxDeliveryCount: 3 })
    await world.put('copy', { headers: [[redriveHeaders.attempts, '2']] })
    expect(attempts).toEqual([3])
    expect(await world.letters()).toHaveLength(1)
  })
})
