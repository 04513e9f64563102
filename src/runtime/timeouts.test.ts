import { describe, expect, it } from 'vitest'
import { gate, testingWorld, untilAborted } from '../../test/testing-world.ts'

const minute = 60_000

describe('a handler that takes too long', () => {
  it('is aborted, and its message is a NonRetryableError as in seed 001', async () => {
    const world = testingWorld()
    await world.consume((_, { signal }) => untilAborted(signal), { timeout: '5s' })
    await world.put(1)
    await world.clock.advance(4999)
    expect(world.of('timed-out')).toEqual([])
    await world.clock.advance(1)
    expect(world.of('timed-out')).toMatchObject([{ timeoutMs: 5000 }])
    expect(world.of('dead-lettered')).toMatchObject([
      { reason: 'NonRetryableError', class: 'permanent', errorType: 'RedriveError' },
    ])
  })

  it('is worth another try where the user says so', async () => {
    const world = testingWorld()
    const timeouts = { timeout: '5s', onTimeout: 'retryable', maxDeliveryCount: 2 } as const
    await world.consume((_, { signal }) => untilAborted(signal), timeouts)
    await world.put(1)
    await world.clock.advance(minute)
    expect(world.of('retried')).toHaveLength(1)
    expect(world.of('dead-lettered')).toMatchObject([{ reason: 'MaxDeliveryCountExceeded' }])
  })

  it('is taken at its word when it succeeds late, and that is told', async () => {
    const world = testingWorld()
    await world.consume(() => new Promise<void>((resolve) => world.clock.after(8000, resolve)), { timeout: '5s' })
    await world.put(1)
    await world.clock.advance(minute)
    expect(world.of('late')).toMatchObject([{ durationMs: 8000 }])
    expect(world.of('completed')).toHaveLength(1)
  })

  it('is aborted at its own time, also when it started after others', async () => {
    const world = testingWorld()
    await world.consume((value, { signal }) => value !== 'quick' && untilAborted(signal), { timeout: '5s' })
    for (let n = 0; n < 3; n++) await world.put('quick')
    await world.put(1)
    await world.clock.advance(3000)
    await world.put(2)
    await world.clock.advance(2000)
    expect(world.of('timed-out')).toHaveLength(1)
    await world.clock.advance(3000)
    expect(world.of('timed-out')).toHaveLength(2)
  })

  it('gets the whole time for each immediate run', async () => {
    const world = testingWorld()
    const retry = { immediate: 1, delayed: { retries: 0 } }
    const slowFailure = () => new Promise((_, reject) => world.clock.after(4000, () => reject(new Error('x'))))
    await world.consume(slowFailure, { timeout: '5s', retry })
    await world.put(1)
    await world.clock.advance(minute)
    expect(world.of('timed-out')).toEqual([])
    expect(world.of('failed').map(({ run }) => run)).toEqual([1, 2])
  })

  it('that ignores its signal until maxHold ends the process', async () => {
    const world = testingWorld()
    await world.consume(() => gate().promise, { timeout: '5s', maxHold: '1m' })
    await world.put(1)
    await world.clock.advance(minute - 1)
    expect(world.exits).toEqual([])
    await world.clock.advance(minute)
    expect(world.exits[0]).toBe(1)
    expect(world.of('stuck')[0]).toMatchObject({ answer: 'exit' })
    expect(await world.letters()).toEqual([])
  })

  it('that ignores its signal until maxHold is overlapped where the user says so, and its late result changes nothing', async () => {
    const world = testingWorld()
    const late = gate()
    let settled = 0
    const settle = world.broker.settle
    const transport = { ...world.broker, settle: (...call: Parameters<typeof settle>) => ++settled && settle(...call) } as never
    await world.consume(() => late.promise, { timeout: '5s', maxHold: '1m', onStuck: 'overlap' }, { transport })
    await world.put(1)
    await world.clock.advance(2 * minute)
    expect(world.of('stuck')).toMatchObject([{ answer: 'overlap' }])
    expect(world.of('dead-lettered')).toHaveLength(1)
    late.resolve()
    await world.clock.advance(minute)
    expect([settled, world.of('completed').length, world.of('late').length]).toEqual([1, 0, 0])
  })

  it('that is overlapped gets its next try through the broker, however many immediate ones are left', async () => {
    const world = testingWorld()
    let runs = 0
    const overlap = { maxHold: '1m', onStuck: 'overlap', onTimeout: 'retryable', retry: { immediate: 5 } } as const
    await world.consume(() => ++runs === 1 && gate().promise, overlap)
    await world.put(1)
    await world.clock.advance(2 * minute)
    expect([runs, world.of('retried').length, world.of('completed').length]).toEqual([2, 1, 1])
  })

  it('that is overlapped keeps its slot until it ends', async () => {
    const world = testingWorld()
    const late = gate()
    const seen: unknown[] = []
    const overlap = { concurrency: 1, maxHold: '1m', onStuck: 'overlap' } as const
    await world.consume((value) => seen.push(value) === 1 && late.promise, overlap)
    await world.put('stuck')
    await world.put('next')
    await world.clock.advance(2 * minute)
    expect(seen).toEqual(['stuck'])
    late.resolve()
    await world.clock.settle()
    expect(seen).toEqual(['stuck', 'next'])
  })

  it('that ignores its signal after its message was lost ends the process at maxHold all the same', async () => {
    const world = testingWorld()
    let runs = 0
    await world.consume(() => ++runs === 1 && gate().promise, { concurrency: 1, timeout: '5s', maxHold: '1m' })
    await world.put(1)
    world.broker.faults.loseConnection()
    await world.clock.advance(minute - 1)
    expect([world.of('hold-lost').length, world.exits]).toEqual([1, []])
    await world.clock.advance(minute)
    expect(world.exits).toEqual([1])
  })

  it('that ignores its signal after its message was lost is told about once where it may overlap', async () => {
    const world = testingWorld()
    let runs = 0
    await world.consume(() => ++runs === 1 && gate().promise, { maxHold: '1m', onStuck: 'overlap' })
    await world.put(1)
    world.broker.faults.loseConnection()
    await world.clock.advance(5 * minute)
    expect(world.of('stuck')).toMatchObject([{ answer: 'overlap' }])
    expect([world.of('dead-lettered'), world.of('completed').length]).toEqual([[], 1])
  })
})
