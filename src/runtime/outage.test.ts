import { afterEach, describe, expect, it, vi } from 'vitest'
import { jobMessage, KeyedJob, provision, testingWorld, type World } from '../../test/testing-world.ts'
import { redriveHeaders } from '../core/letter.ts'
import { PermanentError } from '../core/tagged-errors.ts'
import type { ChannelOptions } from './channel-options.ts'

const minute = 60_000

/** What handlers depend on. */
interface Dependency {
  isDown: boolean
  calls: number
  /** The largest number of calls at one time while it was down. */
  mostWhileDown: number
}

function dependency(isDown = true): Dependency {
  return { isDown, calls: 0, mostWhileDown: 0 }
}

/** Calls the dependency for five milliseconds. */
function calling(world: World, what: Dependency): () => Promise<void> {
  let running = 0
  return async () => {
    what.calls++
    running++
    if (what.isDown) what.mostWhileDown = Math.max(what.mostWhileDown, running)
    await new Promise<void>((resolve) => world.clock.after(5, resolve))
    running--
    if (what.isDown) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  }
}

async function send(world: World, from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n++) await world.broker.send({ name: 'work' }, jobMessage(n, { id: `m${n}` }))
}

/** Ten seconds of peace, five minutes of outage in which 10,000 messages come, then peace again. */
async function fiveMinutes(
  options: ChannelOptions,
): Promise<{ readonly world: World; readonly letters: number; readonly left: number }> {
  const world = testingWorld()
  const what = dependency(false)
  await world.consume(calling(world, what), options)
  for (let n = 0; n < 20; n++) {
    await send(world, 20_000 + n * 20, 20)
    await world.clock.advance(500)
  }
  what.isDown = true
  for (let n = 0; n < 10_000; n += 20) {
    await send(world, n, 20)
    await world.clock.advance(600)
  }
  what.isDown = false
  await world.clock.advance(5 * minute)
  return { world, letters: (await world.letters()).length, left: (await world.letters('work')).length }
}

describe('a dependency outage of five minutes with 10,000 messages', { timeout: 180_000 }, () => {
  it('dead-letters at most 1 % with the breaker, and all others are processed after it', async () => {
    const { world, letters, left } = await fiveMinutes({})
    expect(letters).toBeLessThanOrEqual(100)
    expect([left, world.of('completed').length]).toEqual([0, 10_400 - letters])
    expect([world.of('breaker-opened').length, world.of('breaker-closed').length]).toEqual([1, 1])
    console.log(`with the breaker: ${letters} of 10,000 dead-lettered`)
  })

  it('dead-letters most of them without', async () => {
    const { letters } = await fiveMinutes({ breaker: false })
    expect(letters).toBeGreaterThan(5000)
    console.log(`without: ${letters} of 10,000 dead-lettered`)
  })
})

describe('a closed breaker', () => {
  it('stays closed while retries succeed, although most first attempts fail', async () => {
    const world = testingWorld()
    const failsFirst = (_: unknown, { attempt }: { readonly attempt: number }): void => {
      if (attempt === 1) throw new Error('not there yet')
    }
    await world.consume(failsFirst, { retry: { delayed: { backoff: { first: '100ms' } } } })
    for (let n = 0; n < 200; n++) {
      await world.put(n)
      await world.clock.advance(20)
    }
    await world.clock.advance(minute)
    expect([world.of('breaker-opened').length, world.of('completed').length]).toEqual([0, 200])
  })

  it('stays closed when the handler puts every message off', async () => {
    const world = testingWorld()
    await world.consume((_, ctx) => (ctx.attempt === 1 ? ctx.retry({ delay: '10m' }) : undefined))
    await send(world, 0, 100)
    await world.clock.advance(11 * minute)
    expect([world.of('breaker-opened').length, world.of('completed').length]).toEqual([0, 100])
  })

  it('stays closed when a few bad messages are all there is', async () => {
    const world = testingWorld()
    await world.consume(() => Promise.reject(new Error('never works')))
    await send(world, 0, 15)
    await world.clock.advance(minute)
    expect([world.of('breaker-opened').length, world.of('dead-lettered').length]).toEqual([0, 15])
  })

  it('opens in an outage although every third message is poison, and never ran', async () => {
    const world = testingWorld()
    await world.consume(() => Promise.reject(new Error('connect ECONNREFUSED')), { concurrency: 1 })
    const poison = { headers: [[redriveHeaders.attempts, '9'] as const] }
    for (let n = 0; n < 60; n++) await world.put(n, n % 3 === 0 ? poison : {})
    await world.clock.advance(minute)
    expect(world.of('breaker-opened')).toHaveLength(1)
  })

  it('is not there when it is not wanted', async () => {
    const world = testingWorld()
    await world.consume(calling(world, dependency()), { breaker: false, maxDeliveryCount: 1 })
    await send(world, 0, 100)
    await world.clock.advance(minute)
    expect(world.of('dead-lettered')).toHaveLength(100)
  })
})

describe('while the breaker is open', () => {
  it('one message at a time probes, less and less often', async () => {
    const world = testingWorld()
    const what = dependency()
    await world.consume(calling(world, what))
    await send(world, 0, 100)
    await world.clock.advance(10_000)
    const before = what.calls
    what.mostWhileDown = 0
    await world.clock.advance(5 * minute)
    expect(what.mostWhileDown).toBe(1)
    expect(what.calls - before).toBeLessThan(20)
    expect(what.calls - before).toBeGreaterThan(5)
  })

  const fewHands = { prefetch: 1, concurrency: 1 }
  it.each([{}, fewHands])('no failure costs an attempt, neither of a probe nor of a message in flight (%j)', async (hands) => {
    const world = testingWorld()
    const what = dependency()
    const attempts = new Map<string, number>()
    const call = calling(world, what)
    const handler = async (value: unknown, ctx: { readonly attempt: number }): Promise<void> => {
      attempts.set(String(value), ctx.attempt)
      await call()
    }
    await world.consume(handler, hands)
    await send(world, 0, 60)
    await world.clock.advance(9 * minute)
    expect(world.of('dead-lettered')).toEqual([])
    expect(Math.max(...attempts.values())).toBeLessThanOrEqual(2)
    what.isDown = false
    await world.clock.advance(5 * minute)
    expect([world.of('completed').length, world.of('dead-lettered').length]).toEqual([60, 0])
  })

  it('immediate retries wait as well', async () => {
    const world = testingWorld()
    const what = dependency()
    await world.consume(calling(world, what), { retry: { immediate: 9 }, concurrency: 1 })
    await send(world, 0, 100)
    await world.clock.advance(2000)
    expect(world.of('breaker-opened')).toHaveLength(1)
    const before = what.calls
    await world.clock.advance(100_000)
    expect(what.calls - before).toBeLessThan(10)
  })

  it('a probe that fails for a reason of its own is dead-lettered, and the next one is tried', async () => {
    const world = testingWorld()
    const what = dependency()
    const call = calling(world, what)
    await world.consume((value) => {
      if (Number(value) >= 1000) throw new PermanentError('bad')
      return call()
    })
    await send(world, 0, 30)
    await send(world, 1000, 3)
    await world.clock.advance(minute)
    what.isDown = false
    await world.clock.advance(5 * minute)
    expect([world.of('dead-lettered').length, world.of('completed').length]).toEqual([3, 30])
  })

  it('a healthy message is found behind bad ones, and closes it', async () => {
    const world = testingWorld()
    const onlyGood = (value: unknown): void => {
      if (value !== 'good') throw new Error('never works')
    }
    await world.consume(onlyGood, { maxDeliveryCount: 1 })
    await send(world, 0, 25)
    await world.clock.advance(minute)
    expect([world.of('breaker-opened').length, world.of('breaker-closed').length]).toEqual([1, 0])
    await world.put('good')
    await world.clock.advance(5 * minute)
    expect([world.of('completed').length, world.of('dead-lettered').length, await world.letters('work')]).toEqual([1, 25, []])
  })

  it('bad messages alone are dead-lettered in the end, once failures are pardoned no more', async () => {
    const world = testingWorld()
    await world.consume(() => Promise.reject(new Error('never works')))
    await send(world, 0, 25)
    await world.clock.advance(9 * minute)
    expect(world.of('dead-lettered')).toEqual([])
    await world.clock.advance(120 * minute)
    expect([world.of('dead-lettered').length, await world.letters('work')]).toEqual([25, []])
  })

  it('the messages of a key stay in order', async () => {
    const world = testingWorld()
    await provision(world.broker, { lanes: true })
    const what = dependency()
    const call = calling(world, what)
    const done: number[] = []
    const consumer = world.consumer()
    consumer.channel('work', { deadLetter: 'dead' }).on(KeyedJob, async ({ n }) => {
      await call()
      done.push(n)
    })
    await consumer.start()
    for (let n = 0; n < 100; n++) {
      const key = `k${n % 25}`
      await world.broker.send({ name: 'work' }, jobMessage({ key, n }, { key }))
    }
    await world.clock.advance(minute)
    expect(world.of('breaker-opened')).toHaveLength(1)
    what.isDown = false
    await world.clock.advance(5 * minute)
    expect(done).toHaveLength(100)
    for (let key = 0; key < 25; key++) {
      const ofKey = done.filter((n) => n % 25 === key)
      expect(ofKey).toEqual([...ofKey].sort((one, other) => one - other))
    }
  })

  it('a stop gives everything back, uncounted, and dead-letters nothing', async () => {
    const world = testingWorld()
    const what = dependency()
    const consumer = await world.consume(calling(world, what), { maxDeliveryCount: 1 })
    await send(world, 0, 60)
    await world.clock.advance(minute)
    const letters = world.of('dead-lettered').length
    const stopped = consumer.stop()
    await world.clock.advance(minute)
    await stopped
    expect(world.of('dead-lettered')).toHaveLength(letters)
    const receiver = await world.broker.receive({ name: 'work' }, { prefetch: 100, hold: 1000 })
    const left = await receiver.take(100, 0)
    expect(left.map(({ turns }) => turns)).toEqual(Array(60 - letters).fill(0))
  })

  it('what has been parked for maxHold is given back, uncounted', async () => {
    const world = testingWorld()
    const what = dependency()
    await world.consume(calling(world, what), { maxHold: '2m' })
    await send(world, 0, 60)
    await world.clock.advance(10 * minute)
    expect(world.of('released').every(({ why }) => why === 'held-too-long')).toBe(true)
    expect(world.of('released').length).toBeGreaterThan(0)
    what.isDown = false
    await world.clock.advance(5 * minute)
    expect([world.of('completed').length, world.of('dead-lettered').length]).toEqual([60, 0])
  })

  it('losing the connection harms nobody', async () => {
    const world = testingWorld()
    const what = dependency()
    await world.consume(calling(world, what))
    await send(world, 0, 60)
    for (let n = 0; n < 10; n++) {
      await world.clock.advance(7001)
      world.broker.faults.loseConnection()
    }
    what.isDown = false
    await world.clock.advance(10 * minute)
    expect([world.of('completed').length + world.of('dead-lettered').length, await world.letters('work')]).toEqual([60, []])
  })

  it('losing the connection does not end the probing, and what has to run alone after it is no rush', async () => {
    const world = testingWorld()
    const what = dependency()
    await world.consume(calling(world, what), { breaker: { runs: 4, probeAtMost: '5s' } })
    await send(world, 0, 6)
    // Until all of them are in hand and parked.
    await world.clock.advance(2 * minute)
    world.broker.faults.down()
    await world.clock.advance(minute)
    const before = what.calls
    world.broker.faults.up()
    await world.clock.advance(5000)
    expect(what.calls - before).toBeLessThan(6)
    await world.clock.advance(minute)
    const later = what.calls
    await world.clock.advance(minute)
    expect(what.calls - later).toBe(12)
    what.isDown = false
    await world.clock.advance(10_000)
    expect(world.of('completed')).toHaveLength(6)
  })

  it('resuming the channel closes it', async () => {
    const world = testingWorld()
    const consumer = await world.consume(calling(world, dependency()), { maxDeliveryCount: 1 })
    await send(world, 0, 21)
    await world.clock.advance(2 * minute)
    const before = world.of('dead-lettered').length
    consumer.resume('work')
    await world.clock.advance(minute)
    expect(world.of('dead-lettered').length).toBeGreaterThan(before)
  })

  it('another channel of the consumer goes on, suspects included', async () => {
    const world = testingWorld()
    await provision(world.broker)
    const { Job } = await import('../../test/testing-world.ts')
    const consumer = world.consumer()
    const call = calling(world, dependency())
    consumer.channel('work', { deadLetter: 'dead' }).on(Job, call)
    consumer.channel('other', { deadLetter: 'dead' }).on(Job, () => {})
    await consumer.start()
    await send(world, 0, 60)
    await world.clock.advance(minute)
    await world.put('a', {}, 'other')
    world.broker.faults.loseConnection()
    await world.put('b', {}, 'other')
    await world.clock.advance(minute)
    expect(world.of('completed').map(({ channel }) => channel)).toEqual(['other', 'other'])
  })

  it('is told by events, log lines and metrics', async () => {
    const world = testingWorld()
    const what = dependency()
    const consumer = await world.consume(calling(world, what))
    await send(world, 0, 60)
    await world.clock.advance(minute)
    const value = (name: string): unknown => consumer.metrics().find((family) => family.name === name)?.points[0]?.value
    expect([value('breaker_open'), value('breaker_trips_total')]).toEqual([1, 1])
    expect(consumer.channels()).toMatchObject([{ name: 'work', state: 'outage', held: 0, spooled: 0 }])
    expect(value('messages_parked')).toBeGreaterThan(0)
    what.isDown = false
    await world.clock.advance(minute)
    expect([value('breaker_open'), value('messages_parked')]).toEqual([0, 0])
    expect(consumer.channels()).toMatchObject([{ name: 'work', state: 'consuming', parked: 0 }])
    expect(world.of('breaker-opened')).toMatchObject([{ channel: 'work', probeInMs: 1000 }])
    expect(world.of('breaker-closed')).toMatchObject([{ channel: 'work' }])
    expect(world.logs.filter(({ message }) => message.includes('the breaker is open'))).toHaveLength(1)
  })
})

/** Messages that may fail once: whatever counts while the breaker is open is dead-lettered at once. */
async function probesCostNothing(world: World): Promise<void> {
  await world.consume(calling(world, dependency()), { maxDeliveryCount: 1 })
  await send(world, 0, 60)
  await world.clock.advance(500)
  const before = world.of('dead-lettered').length
  await world.clock.advance(9 * minute)
  expect(world.of('breaker-probed').length).toBeGreaterThan(10)
  expect(world.of('dead-lettered')).toHaveLength(before)
}

describe('planted bugs', () => {
  afterEach(() => {
    vi.doUnmock('./breaker.ts')
    vi.resetModules()
  })

  it('without any: probes cost nothing', () => probesCostNothing(testingWorld()))

  it('a breaker that counts probes as attempts is caught', async () => {
    vi.resetModules()
    vi.doMock('./breaker.ts', async (original) => {
      const real = await original<typeof import('./breaker.ts')>()
      const counting: typeof real.createBreaker = (settings) => real.createBreaker({ ...settings, pardon: 0 })
      return { ...real, createBreaker: counting }
    })
    const fresh = await import('../../test/testing-world.ts')
    await expect(probesCostNothing(fresh.testingWorld())).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })
})
