import { describe, expect, it } from 'vitest'
import { KeyedJob, provision, testingWorld, untilAborted, type World } from '../../test/testing-world.ts'
import type { ChannelOptions } from './channel-options.ts'
import type { Consumer } from './consumer.ts'
import type { Context } from './context.ts'

interface KeyedValue {
  readonly key: string
  readonly n: number
}

async function consumeKeyed(
  world: World,
  handler: (value: KeyedValue, ctx: Context) => unknown,
  options: Partial<ChannelOptions> = {},
): Promise<Consumer> {
  const consumer = world.consumer()
  consumer.channel('work', { deadLetter: 'dead', concurrency: 8, ...options }).on(KeyedJob, handler)
  await consumer.start()
  return consumer
}

const put = (world: World, key: string, n: number): Promise<void> => world.put({ key, n }, { key, id: `${key}${n}` })

/** Grows the window, so that siblings are in hand together. */
async function warmUp(world: World): Promise<void> {
  for (let n = 0; n < 20; n++) await put(world, `warm-${n}`, n)
}

describe('messages of one key', () => {
  it('never run two at a time and never before the earlier one is settled', async () => {
    const world = testingWorld()
    const steps: string[] = []
    await consumeKeyed(world, async ({ key, n }) => {
      if (key.startsWith('warm')) return
      steps.push(`${key}${n} in`)
      await new Promise<void>((resolve) => world.clock.after(100, resolve))
    })
    await warmUp(world)
    world.told.length = 0
    world.broker.faults.on('settle.complete', { delay: 500 })
    for (let n = 1; n <= 3; n++) for (const key of ['a', 'b']) await put(world, key, n)
    await world.clock.advance(150)
    expect(steps).toEqual(['a1 in', 'b1 in'])
    await world.clock.advance(10_000)
    expect(steps).toEqual(['a1 in', 'b1 in', 'a2 in', 'b2 in', 'a3 in', 'b3 in'])
    expect(world.of('completed')).toHaveLength(6)
  })

  it('wait for the one that is retried later, while other keys flow', async () => {
    const world = testingWorld()
    const seen: string[] = []
    await consumeKeyed(world, async ({ key, n }, ctx) => {
      if (key.startsWith('warm')) return
      seen.push(`${key}${n}`)
      await new Promise<void>((resolve) => world.clock.after(10, resolve))
      if (key === 'a' && n === 1 && ctx.attempt === 1) ctx.retry({ delay: '1m' })
    })
    await warmUp(world)
    for (let n = 1; n <= 3; n++) for (const key of ['a', 'b']) await put(world, key, n)
    await world.clock.advance(59_000)
    expect(seen).toEqual(['a1', 'b1', 'b2', 'b3'])
    expect(world.of('released').every(({ why }) => why === 'lane-waits')).toBe(true)
    expect(world.of('released')).not.toEqual([])
    await world.clock.advance(5000)
    expect(seen.slice(4)).toEqual(['a1', 'a2', 'a3'])
    expect(new Set(world.of('completed').map(({ attempt }) => attempt))).toEqual(new Set([1, 2]))
  })

  it.each([
    { how: 'fails for a while', fault: (now: number) => (now < 4000 ? ({ fail: 'unreachable' } as const) : undefined) },
    { how: 'takes longer than the hold', fault: (now: number) => (now < 4000 ? { delay: 5000 } : undefined) },
  ])('wait for one that is to go back to the broker behind a retried one, also when that $how', async ({ fault }) => {
    const world = testingWorld()
    const seen: string[] = []
    await consumeKeyed(
      world,
      ({ key, n }, ctx) => {
        if (key.startsWith('warm')) return
        seen.push(`${key}${n}`)
        if (n === 1 && ctx.attempt === 1) ctx.retry({ delay: '1s' })
      },
      { hold: '2s' },
    )
    await warmUp(world)
    const startedAt = world.clock.monotonic()
    world.broker.faults.on('settle.release', () => fault(world.clock.monotonic() - startedAt))
    await Promise.all([1, 2].map((n) => put(world, 'a', n)))
    await world.clock.advance(1500)
    await put(world, 'a', 3)
    await world.clock.advance(60_000)
    expect(seen).toEqual(['a1', 'a1', 'a2', 'a3'])
  })

  it('wait for the one whose hold was lost, and run behind it', async () => {
    const world = testingWorld()
    const seen: number[] = []
    await consumeKeyed(
      world,
      async ({ key, n }, { signal, deliveries }) => {
        if (key.startsWith('warm')) return
        seen.push(n)
        if (n === 1 && deliveries === 1) await new Promise((_, reject) => signal.addEventListener('abort', reject))
      },
      { hold: '10s', timeout: '1h' },
    )
    await warmUp(world)
    for (let n = 1; n <= 3; n++) await put(world, 'a', n)
    world.broker.faults.on('extend', ({ message }) => (message?.id === 'a1' ? { fail: 'unreachable' } : undefined))
    await world.clock.advance(60_000)
    expect(seen).toEqual([1, 1, 2, 3])
  })

  it('are followed by others, even when the last to leave are those that go back behind a lost one', async () => {
    const world = testingWorld()
    await provision(world.broker, { lanes: true })
    await put(world, 'suspect', 1)
    const dying = world.broker.connect()
    await (await dying.receive({ name: 'work' }, { prefetch: 1, hold: 30_000 })).take(1, 0)
    await consumeKeyed(
      world,
      async ({ n }, { signal, deliveries }) => {
        if (n === -1 && deliveries === 1) await untilAborted(signal)
      },
      { prefetch: 8, hold: '10s', timeout: '1h' },
    )
    await warmUp(world)
    for (let n = -1; n < 6; n++) await put(world, 'a', n)
    world.broker.faults.on('extend', ({ message }) => (message?.id === 'a-1' ? { fail: 'unreachable' } : undefined))
    world.broker.faults.on('settle.release', { delay: 500 })
    // The suspect shrinks the window below what is in hand, so that there is no room before they have gone back.
    dying.faults.loseConnection()
    await world.clock.advance(60_000)
    expect(await world.letters('work')).toEqual([])
    expect(world.of('completed')).toHaveLength(28)
  })

  it.each(['lane', 'per-process'] as const)('do not start in the place of one that is lost with them (%s)', async (order) => {
    const world = testingWorld()
    const seen: number[] = []
    await consumeKeyed(
      world,
      async ({ key, n }, { signal }) => {
        if (key.startsWith('warm')) return
        seen.push(n)
        await new Promise((_, reject) => signal.addEventListener('abort', reject))
      },
      { timeout: '1h', order },
    )
    await warmUp(world)
    for (let n = 1; n <= 3; n++) await put(world, 'a', n)
    world.broker.faults.down()
    await world.clock.settle()
    expect(seen).toEqual([1])
  })

  it.each(['lane', 'per-process'] as const)('are all handled after the connection was lost under them (%s)', async (order) => {
    const world = testingWorld()
    let isLost = false
    const consumer = world.consumer()
    consumer.channel('work', { deadLetter: 'dead', concurrency: 8, order }).on(
      KeyedJob,
      async ({ key }, { signal }) => {
        if (!isLost && !key.startsWith('warm')) await untilAborted(signal)
      },
      { timeout: '1h' },
    )
    consumer.channel('other', { deadLetter: 'dead' }).on(KeyedJob, () => {})
    await provision(world.broker, { lanes: true })
    await consumer.start()
    await warmUp(world)
    await world.clock.settle()
    for (let n = 1; n <= 3; n++) await put(world, 'a', n)
    await world.clock.settle()
    isLost = true
    world.broker.faults.loseConnection()
    await world.clock.advance(60_000)
    await world.put({ key: 'b', n: 1 }, { key: 'b', id: 'b1' }, 'other')
    await world.clock.advance(60_000)
    const completed = world.of('completed').map(({ messageId }) => messageId)
    expect(completed.filter((id) => !id?.startsWith('warm'))).toEqual(['a1', 'a2', 'a3', 'b1'])
  })

  it('pass the one that is retried where order is only kept per process, but never run two at a time', async () => {
    const world = testingWorld()
    const seen: number[] = []
    let running = 0
    await consumeKeyed(
      world,
      async ({ key, n }, ctx) => {
        if (key.startsWith('warm')) return
        expect(++running).toBe(1)
        seen.push(n)
        await new Promise<void>((resolve) => world.clock.after(10, resolve))
        running--
        if (n === 1 && ctx.attempt === 1) ctx.retry({ delay: '1m' })
      },
      { order: 'per-process' },
    )
    await warmUp(world)
    for (let n = 1; n <= 3; n++) await put(world, 'a', n)
    await world.clock.advance(120_000)
    expect(seen).toEqual([1, 2, 3, 1])
    expect(world.of('failed').map(({ errorType }) => errorType)).toEqual(['HandlerOutcome'])
  })

  it('ask nothing of the broker where order is only kept per process', async () => {
    const world = testingWorld()
    await provision(world.broker)
    await consumeKeyed(world, () => {}, { order: 'per-process' })
    expect(world.logs.filter(({ level }) => level === 'warn')).toEqual([])
  })

  it('run side by side with order: none', async () => {
    const world = testingWorld()
    let most = 0
    let running = 0
    await consumeKeyed(
      world,
      async () => {
        most = Math.max(most, ++running)
        await new Promise<void>((resolve) => world.clock.after(10, resolve))
        running--
      },
      { order: 'none' },
    )
    await warmUp(world)
    await world.clock.advance(1000)
    for (let n = 1; n <= 3; n++) await put(world, 'a', n)
    await world.clock.advance(1000)
    expect(most).toBeGreaterThan(1)
  })

  it.each([undefined, 'lane'] as const)(
    'are refused on a broker without lanes, unless order is written out (%s)',
    async (order) => {
      const world = testingWorld()
      const transport = { ...world.broker, capabilities: { ...world.broker.capabilities, ordering: 'none' as const } }
      const consumer = world.consumer({ transport })
      consumer.channel('work', { deadLetter: 'dead', ...(order && { order }) }).on(KeyedJob, () => {})
      await expect(consumer.start()).rejects.toMatchObject({
        code: 'bad-option',
        message: expect.stringContaining('per-process'),
      })
    },
  )

  describe('where a retry is a copy, which later ones would overtake', () => {
    const start = async (options: ChannelOptions, inPlace = false): Promise<void> => {
      const world = testingWorld()
      const retry = { ...world.broker.capabilities.retry, by: 'copy' as const, inPlace }
      const transport = { ...world.broker, capabilities: { ...world.broker.capabilities, retry } }
      const consumer = world.consumer({ transport })
      consumer.channel('work', { deadLetter: 'dead', ...options }).on(KeyedJob, () => {})
      await consumer.start()
    }

    it('are refused with a delayed retry', async () => {
      await expect(start({})).rejects.toMatchObject({ code: 'bad-option', message: expect.stringContaining('overtake') })
    })

    it('are taken where a retry can keep its place instead', () => start({}, true))

    it.each<[string, ChannelOptions]>([
      ['no delayed retry', { retry: { delayed: { retries: 0 } } }],
      ['no order', { order: 'none' }],
      ['order within the process alone', { order: 'per-process' }],
    ])('are taken with %s', (_, options) => start(options))
  })
})
