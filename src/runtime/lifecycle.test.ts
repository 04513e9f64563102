import { describe, expect, it } from 'vitest'
import { gate, Job, provision, testingWorld } from '../../test/testing-world.ts'

describe('the life of a consumer', () => {
  it('stops at the end of its block with `await using`', async () => {
    const world = testingWorld()
    {
      await using consumer = await world.consume(() => {})
      expect(consumer.metrics()).not.toEqual([])
      await world.put(1)
    }
    expect(world.of('stopped')).toHaveLength(1)
    await world.put(2)
    expect(await world.letters('work')).toHaveLength(1)
  })

  it('takes nothing while a channel is paused, finishes what is in hand, and goes on where it left off', async () => {
    const world = testingWorld()
    const slow = gate()
    const consumer = await world.consume((value) => value === 'slow' && slow.promise)
    await world.put('slow')
    consumer.pause('work')
    await world.put('later')
    slow.resolve()
    await world.clock.advance(60_000)
    expect(world.of('completed')).toHaveLength(1)
    consumer.resume('work')
    await world.clock.settle()
    consumer.pause('work')
    await world.put('even later')
    expect(world.of('released')).toMatchObject([{ why: 'paused' }])
    expect(world.of('completed')).toHaveLength(2)
    consumer.resume('work')
    await world.clock.settle()
    expect(world.of('completed').map(({ attempt }) => attempt)).toEqual([1, 1, 1])
    expect([world.of('paused').length, world.of('resumed').length]).toEqual([2, 2])
  })

  it('refuses to start where a failing message would have nowhere to go', async () => {
    const world = testingWorld()
    await world.broker.provision(
      { channels: [{ address: { name: 'work' }, role: 'work', deadLetterTo: { name: 'dead' } }] },
      'apply',
    )
    const starting = world.consume(() => {}, {}, { provision: 'check' })
    await expect(starting).rejects.toMatchObject({ code: 'bad-topology', message: expect.stringContaining('dead') })
    await world.put(1)
    expect(await world.letters('work')).toHaveLength(1)
  })

  it('creates what is missing by default, and starts on what is there with `check`', async () => {
    const world = testingWorld()
    await (await world.consume(() => {})).stop()
    await world.consume(() => {}, {}, { provision: 'check' })
    await world.put(1)
    expect(world.of('completed')).toHaveLength(1)
  })

  it('warns about what works with a risk', async () => {
    const world = testingWorld()
    await provision(world.broker)
    await world.consume(() => {}, { ttl: '1h' })
    expect(world.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ what: 'ttl-differs' }) }),
    )
  })

  it('starts once', async () => {
    const world = testingWorld()
    const consumer = await world.consume(() => {})
    await expect(consumer.start()).rejects.toMatchObject({ code: 'not-running' })
    expect(() => consumer.channel('more', { deadLetter: 'dead' })).toThrow(expect.objectContaining({ code: 'not-running' }))
    expect(() => consumer.use(() => {})).toThrow(expect.objectContaining({ code: 'not-running' }))
  })

  it('may be stopped before it starts, and then never starts', async () => {
    const consumer = testingWorld().consumer()
    await consumer.stop()
    await expect(consumer.start()).rejects.toMatchObject({ code: 'not-running' })
  })

  it('may be stopped while it starts: the stop waits for the start', async () => {
    const world = testingWorld()
    const consumer = world.consumer()
    consumer.channel('work', { deadLetter: 'dead' }).on(Job, () => {})
    const starting = consumer.start()
    await consumer.stop()
    await starting
    expect(world.told.map(({ name }) => name)).toEqual(['started', 'stopped'])
    await world.put(1)
    expect(world.of('received')).toEqual([])
  })

  it('needs a channel, and a handler for each', async () => {
    const world = testingWorld()
    await expect(world.consumer().start()).rejects.toMatchObject({
      code: 'bad-option',
      message: expect.stringContaining('no channel'),
    })
    const consumer = world.consumer()
    consumer.channel('work', { deadLetter: 'dead' })
    await expect(consumer.start()).rejects.toMatchObject({ code: 'bad-option', message: expect.stringContaining('no handler') })
  })

  it('leaves nothing open when one of its channels cannot be received from', async () => {
    const world = testingWorld()
    world.broker.faults.on('receive', ({ address }) => (address?.name === 'other' ? { fail: 'access-denied' } : undefined))
    const consumer = world.consumer()
    for (const name of ['work', 'other']) consumer.channel(name, { deadLetter: 'dead' }).on(Job, () => {})
    await expect(consumer.start()).rejects.toMatchObject({ code: 'access-denied' })
    await world.put(1)
    expect(world.of('received')).toEqual([])
  })

  it('knows no channel that it does not run', async () => {
    const consumer = await testingWorld().consume(() => {})
    expect(() => consumer.pause('other')).toThrow(expect.objectContaining({ code: 'unknown-channel' }))
  })
})
