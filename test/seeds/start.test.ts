import { describe, expect, it } from 'vitest'
import { Job, testingWorld } from '../testing-world.ts'

describe('a consumer without a place for failing messages', () => {
  it('seed 004: is refused, unless it says that there is none', () => {
    const { consumer } = testingWorld()
    expect(() => consumer().channel('work', {})).toThrow(expect.objectContaining({ code: 'bad-topology' }))
  })

  it('seed 004: warns and completes where none was asked for', async () => {
    const world = testingWorld()
    const consumer = world.consumer()
    consumer.channel('work', { deadLetter: 'none', retry: { delayed: { retries: 0 } } }).on(Job, () => {
      throw new Error('the gateway is unavailable')
    })
    await consumer.start()
    await world.put('job', { id: 'm-1' })
    expect(world.logs.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'Completed a failed message without a letter', fields: { messageId: 'm-1' } },
    ])
    expect(await world.letters('work')).toEqual([])
  })

  it('seed 000: does not start while its dead-letter channel is missing on the broker', async () => {
    const world = testingWorld()
    const consumer = world.consumer({ provision: 'check' })
    consumer.channel('work', { deadLetter: 'dead' }).on(Job, () => {})
    await expect(consumer.start()).rejects.toMatchObject({ code: 'bad-topology', message: expect.stringContaining('dead') })
  })
})

describe('how much a consumer does at one time', () => {
  it('seed 001: runs no more handlers than its concurrency', async () => {
    const world = testingWorld()
    const open: (() => void)[] = []
    let most = 0
    await world.consume(
      async () => {
        const running = Promise.withResolvers<void>()
        most = Math.max(most, open.push(running.resolve))
        await running.promise
      },
      { concurrency: 3, prefetch: 50 },
    )
    for (let n = 0; n < 40; n++) await world.put(n)
    while (open.length > 0) {
      for (const finish of open.splice(0)) finish()
      await world.clock.settle()
    }
    expect(most).toBe(3)
    expect(await world.letters('work')).toEqual([])
  })
})
