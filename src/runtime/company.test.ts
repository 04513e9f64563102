import { describe, expect, it } from 'vitest'
import { testingWorld, type World } from '../../test/testing-world.ts'
import { virtualClock } from '../platform/virtual-clock.ts'
import type { Hold, Transport } from '../transports/seam.ts'
import { createCompany } from './company.ts'

describe('a failure among many other messages', () => {
  function gathering() {
    const clock = virtualClock()
    const stats = { completed: 0 }
    const company = createCompany(clock, stats)
    const seenTo: string[] = []
    return {
      clock,
      stats,
      seenTo,
      join(name: string) {
        const joined = company.join()
        if (joined) void joined.then(() => seenTo.push(name))
        else seenTo.push(name)
      },
    }
  }

  it('waits for the next one while others are completed, and both are seen to together', async () => {
    const { clock, stats, seenTo, join } = gathering()
    stats.completed = 100
    join('a')
    await clock.advance(4)
    stats.completed = 200
    join('b')
    await clock.advance(1)
    expect(seenTo).toEqual([])
    stats.completed = 201
    await clock.advance(5)
    expect(seenTo).toEqual([])
    await clock.advance(5)
    expect(seenTo).toEqual(['a', 'b'])
  })

  it('is seen to when it has waited long enough, whatever else goes on', async () => {
    const { clock, stats, seenTo, join } = gathering()
    stats.completed = 100
    join('a')
    for (let ms = 0; ms < 20; ms++) {
      expect(seenTo).toEqual([])
      stats.completed += 100
      await clock.advance(1)
    }
    expect(seenTo).toEqual(['a'])
  })

  it('is seen to at once where failures are many, and takes along whoever waits', async () => {
    const { clock, stats, seenTo, join } = gathering()
    join('first of all')
    stats.completed = 30
    join('rare')
    join('soon after')
    await clock.settle()
    expect(seenTo.toSorted()).toEqual(['first of all', 'rare', 'soon after'])
    join('at once')
    expect(seenTo).toContain('at once')
  })

  it('waits its own time, though one before it was seen to early', async () => {
    const { clock, stats, seenTo, join } = gathering()
    stats.completed = 30
    join('rare')
    await clock.advance(4)
    join('too many')
    stats.completed = 60
    join('rare again')
    await clock.advance(4)
    expect(seenTo).not.toContain('rare again')
    await clock.advance(1)
    expect(seenTo).toContain('rare again')
  })
})

describe('a consumer with a rare failure', () => {
  const busy = 40

  /** Forty messages are completed, then one fails that nobody follows. */
  async function oneFails(hold?: Hold): Promise<{ readonly world: World; readonly stop: () => Promise<unknown> }> {
    const world = testingWorld()
    const transport = hold ? underOneHold(world.broker, hold) : world.broker
    const consumer = await world.consume(
      (value) => {
        if (value === 'bad') throw new Error('never works')
      },
      { concurrency: 1, retry: { delayed: { retries: 0 } } },
      { transport },
    )
    for (let n = 0; n < busy; n++) await world.put(n)
    await world.put('bad')
    return { world, stop: () => consumer.stop() }
  }

  it('writes its letter a moment later', async () => {
    const { world } = await oneFails()
    expect([world.of('completed').length, (await world.letters()).length]).toEqual([busy, 0])
    await world.clock.advance(5)
    expect(await world.letters()).toHaveLength(1)
  })

  it('writes nothing where the message was lost meanwhile', async () => {
    const lost = new AbortController()
    const { world } = await oneFails({ signal: lost.signal })
    lost.abort()
    await world.clock.advance(20)
    expect([world.of('hold-lost').length, world.of('burying'), await world.letters()]).toEqual([1, [], []])
  })

  it('keeps no slot for it', async () => {
    const { world } = await oneFails()
    const before = world.of('completed').length
    for (let n = 0; n < 8; n++) await world.put(n)
    expect([world.of('completed').length - before, await world.letters()]).toEqual([8, []])
  })

  it('writes its letter before it stops', async () => {
    const { world, stop } = await oneFails()
    const stopped = stop()
    await world.clock.advance(20)
    await stopped
    expect([(await world.letters()).length, world.of('released')]).toEqual([1, []])
  })
})

/** As a log has it, which loses a whole partition at once. */
function underOneHold(broker: Transport, hold: Hold): Transport {
  return {
    ...broker,
    async receive(address, options) {
      const receiver = await broker.receive(address, options)
      const { lost } = receiver
      return {
        lost,
        close: () => receiver.close(),
        take: async (max, wait) => (await receiver.take(max, wait)).map((delivery) => ({ ...delivery, hold })),
      }
    },
  }
}
