import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gate, Job, provision, testingWorld, untilAborted } from '../../test/testing-world.ts'
import { PermanentError } from '../core/tagged-errors.ts'
import type { Transport } from '../transports/seam.ts'
import type { Context } from './context.ts'

describe('stopping', () => {
  it('lets what is running finish and releases what only waits, uncounted', async () => {
    const world = testingWorld()
    const running = gate()
    const consumer = await world.consume((value) => value === 'slow' && running.promise, { concurrency: 1 })
    await world.put('first')
    await world.put('slow')
    await world.put('waits')
    const stopped = consumer.stop()
    await world.clock.settle()
    running.resolve()
    await stopped
    expect(world.of('completed')).toHaveLength(2)
    const [left] = (await world.broker.browse({ name: 'work' }, { limit: 9 })).messages
    const receiver = await world.broker.receive({ name: 'work' }, { prefetch: 1, hold: 1000 })
    expect(left?.message.type).toBe('job')
    expect(await receiver.take(9, 0)).toMatchObject([{ turns: 0, suspect: false }])
    expect(world.of('stopped')).toMatchObject([{ released: 1 }])
  })

  it('closes a receiver that was being opened anew just then', async () => {
    const world = testingWorld()
    let open = 0
    const receive: Transport['receive'] = async (...call) => {
      const receiver = await world.broker.receive(...call)
      open++
      return { ...receiver, close: () => receiver.close().then(() => void open--) }
    }
    const consumer = await world.consume(() => {}, {}, { transport: { ...world.broker, receive } })
    world.broker.faults.once('receive', { delay: 1000 })
    world.broker.faults.loseConnection()
    await world.clock.advance(500)
    const stopped = consumer.stop()
    await world.clock.advance(60_000)
    await stopped
    expect(open).toBe(0)
  })

  it.each([
    ['the reason of its signal', (ctx: Context) => ctx.signal.reason],
    ['an error of its own', () => new Error('gave up')],
    ['a permanent error', () => new PermanentError('cannot go on')],
  ])('releases a handler that throws %s because we aborted it', async (_, error) => {
    const world = testingWorld()
    const consumer = await world.consume(
      (_value, ctx) => untilAborted(ctx.signal).catch(() => Promise.reject(error(ctx))),
      { maxDeliveryCount: 1 },
      { drain: '10s' },
    )
    await world.put(1)
    const stopped = consumer.stop()
    await world.clock.advance(10_000)
    await stopped
    expect(world.of('released')).toMatchObject([{ why: 'shutdown' }])
    expect([await world.letters(), world.of('failed')]).toEqual([[], []])
  })

  it.each(['deadLetter', 'discard', 'retry'] as const)(
    'releases a handler that asks for %s because we aborted it',
    async (verb) => {
      const world = testingWorld()
      const consumer = await world.consume((_, ctx) => untilAborted(ctx.signal).catch(() => ctx[verb]()), {}, { drain: '1s' })
      await world.put(1)
      const stopped = consumer.stop()
      await world.clock.advance(5000)
      await stopped
      expect(world.of('released')).toHaveLength(1)
      expect(await world.letters('work')).toHaveLength(1)
    },
  )

  it.each(['AbortError', 'TimeoutError'])('takes a handler’s own %s before the abort for a failure', async (name) => {
    const world = testingWorld()
    const own = gate()
    const consumer = await world.consume(() => own.promise, { maxDeliveryCount: 1 }, { drain: '10s' })
    await world.put(1)
    const stopped = consumer.stop()
    await world.clock.settle()
    own.reject(new DOMException('This operation was aborted', name))
    await stopped
    expect(await world.letters()).toHaveLength(1)
  })

  it('releases what ignores its signal under its feet, and its result changes nothing', async () => {
    const world = testingWorld()
    const late = gate()
    const consumer = await world.consume(() => late.promise, {}, { drain: '1s' })
    await world.put(1)
    const stopped = consumer.stop()
    await world.clock.advance(5000)
    await stopped
    late.resolve()
    await world.clock.settle()
    expect([world.of('completed').length, (await world.letters('work')).length]).toEqual([0, 1])
  })

  it('does not start a suspect that it is giving back', async () => {
    const world = testingWorld()
    const channels = ['work', 'other']
    const consumer = world.consumer()
    const slow = gate()
    const seen: unknown[] = []
    for (const name of channels)
      consumer.channel(name, { deadLetter: 'dead' }).on(Job, (value) => seen.push(value) && slow.promise)
    await provision(world.broker)
    await world.broker.provision(
      { channels: [{ address: { name: 'other' }, role: 'work', deadLetterTo: { name: 'dead' } }] },
      'apply',
    )
    const crashing = world.broker.connect()
    for (const name of channels) {
      await world.put(name, {}, name)
      await (await crashing.receive({ name }, { prefetch: 1, hold: 60_000 })).take(1, 0)
    }
    await consumer.start()
    crashing.faults.loseConnection()
    await world.clock.settle()
    expect(world.of('suspect')).toHaveLength(2)
    world.broker.faults.on('settle.release', { delay: 1000 })
    const stopped = consumer.stop()
    await world.clock.settle()
    slow.resolve()
    await world.clock.advance(5000)
    await stopped
    expect(seen).toHaveLength(1)
  })

  it('twice waits for the same stop', async () => {
    const world = testingWorld()
    const consumer = await world.consume(() => {})
    expect(consumer.stop()).toBe(consumer.stop())
    await consumer.stop()
    expect(world.of('stopped')).toHaveLength(1)
  })
})

describe('stopping at any moment', () => {
  const handler = fc.record({
    ignoresSignal: fc.boolean(),
    takes: fc.integer({ min: 0, max: 40_000 }),
    afterAbort: fc.constantFrom('throws', 'throws permanent', 'asks', 'returns'),
  })
  it('dead-letters nothing and loses nothing, whatever the handlers do then', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(handler, { minLength: 1, maxLength: 6 }), fc.nat(30_000), async (handlers, stopAfter) => {
        const world = testingWorld()
        const consumer = await world.consume(
          async (value, ctx) => {
            const { ignoresSignal, takes, afterAbort } = handlers[value as number] as (typeof handlers)[number]
            const done = new Promise<void>((resolve) => world.clock.after(takes, resolve))
            await (ignoresSignal ? done : Promise.race([done, untilAborted(ctx.signal).catch(() => {})]))
            if (!ctx.signal.aborted || afterAbort === 'returns') return
            if (afterAbort === 'asks') ctx.deadLetter('Shutdown')
            throw afterAbort === 'throws' ? ctx.signal.reason : new PermanentError('stopped')
          },
          { timeout: '1h', concurrency: 3 },
          { drain: '5s' },
        )
        for (const index of handlers.keys()) await world.put(index)
        await world.clock.advance(stopAfter)
        const stopped = consumer.stop()
        await world.clock.advance(60_000)
        await stopped
        expect(await world.letters()).toEqual([])
        expect((await world.letters('work')).length + world.of('completed').length).toBe(handlers.length)
      }),
      { numRuns: 60 },
    )
  })
})
