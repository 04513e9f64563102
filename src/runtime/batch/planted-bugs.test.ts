import { afterEach, describe, expect, it, vi } from 'vitest'
import type { BatchPlay, BatchPlayOptions, Messages } from '../../../test/batch-play.ts'
import type { BatchOutcome, Verdict } from './answer.ts'
import type { Batches } from './batches.ts'
import type { BatchCall, CallResult } from './call.ts'

/** Each scenario must pass on the code as it is, and fail on the same code with one plausible mistake. */
type PlayBatches = (handler: (messages: Messages) => BatchOutcome[], options?: BatchPlayOptions) => Promise<BatchPlay>
type Scenario = (play: PlayBatches) => Promise<void>

const hour = 3_600_000
const lane: BatchPlayOptions = { channel: { order: 'lane' } }

const scenarios = {
  'a batch that throws harms no neighbour of the culprit': async (play) => {
    const { put, told, world } = await play((messages) => {
      if (messages.some(({ value }) => value === 'bad')) throw new Error('one of them is bad')
      return messages.map((message) => message.done())
    })
    await put('good', 'bad')
    await world.clock.advance(hour)
    expect([told('completed'), told('dead-lettered'), [...new Set(told('failed'))]]).toEqual([['good'], ['bad'], ['bad']])
  },
  'what is not mentioned is not completed': async (play) => {
    const { put, told, world } = await play((messages) =>
      messages.filter(({ value }) => value !== 'forgotten').map((message) => message.done()),
    )
    await put('forgotten', 'other')
    await world.clock.advance(hour)
    expect([told('completed'), told('dead-lettered')]).toEqual([['other'], ['forgotten']])
  },
  'nothing of a lane is done before the one that failed': async (play) => {
    const { put, told, world } = await play(
      (messages) => messages.map((message) => (message.value === 'a1' ? message.failed(new Error('no')) : message.done())),
      lane,
    )
    world.broker.faults.on('settle.retry', { delay: 60_000 })
    await put('a1', 'a2')
    await world.clock.advance(30_000)
    expect(told('completed')).toEqual([])
  },
  'nobody of a lane is called before the one ahead is done with': async (play) => {
    const { put, calls, world } = await play(
      (messages) => messages.map((message) => (message.value === 'a1' ? message.failed(new Error('no')) : message.done())),
      lane,
    )
    world.broker.faults.on('settle.retry', { delay: 60_000 })
    await put('a1', 'a2', 'b1')
    await world.clock.advance(30_000)
    expect(calls.filter((call) => call.includes('a2'))).toHaveLength(1)
  },
  'what was called together with one that failed is called again behind it': async (play) => {
    let runs = 0
    const { put, calls, world } = await play(
      (messages) =>
        messages.map((message) => (message.value === 'a1' && ++runs === 1 ? message.failed(new Error('no')) : message.done())),
      { channel: { order: 'lane', retry: { immediate: 1 } } },
    )
    await put('a1', 'a2')
    await world.clock.advance(30_000)
    expect(calls).toEqual([['a1', 'a2'], ['a1'], ['a2']])
  },
} satisfies Record<string, Scenario>

interface Plant {
  readonly scenario: keyof typeof scenarios
  readonly path: string
  readonly mistake: (original: Readonly<Record<string, never>>) => object
}

const plants: Readonly<Record<string, Plant>> = {
  'counts a throw against everybody in the batch': {
    scenario: 'a batch that throws harms no neighbour of the culprit',
    path: './call.ts',
    mistake: (original) => ({ ...original, callHandler: blamingEverybody(original['callHandler'] as never) }),
  },
  'completes what the handler did not mention': {
    scenario: 'what is not mentioned is not completed',
    path: './answer.ts',
    mistake: (original) => ({
      ...original,
      readAnswer: (_: unknown, messages: readonly object[]) => messages.map((): Verdict => ({ kind: 'done' })),
    }),
  },
  'settles a later message of a lane that failed': {
    scenario: 'nothing of a lane is done before the one that failed',
    path: './batches.ts',
    mistake: (original) => ({ ...original, createBatches: blindToLanes(original['createBatches'] as never) }),
  },
  'lets an answer count behind one of its lane that failed': {
    scenario: 'what was called together with one that failed is called again behind it',
    path: './answer.ts',
    mistake: (original) => ({ ...original, heedLanes: (verdicts: readonly Verdict[]) => verdicts }),
  },
  'forms batches without looking at lanes': {
    scenario: 'nobody of a lane is called before the one ahead is done with',
    path: './form.ts',
    mistake: (original) => ({ ...original, formBatch: (waiting: Iterable<unknown>) => [...waiting] }),
  },
}

function blamingEverybody(callHandler: (...call: unknown[]) => BatchCall): (...call: unknown[]) => BatchCall {
  const blame = (result: CallResult, { length }: readonly unknown[]): CallResult =>
    'thrown' in result ? { verdicts: Array.from({ length }, (): Verdict => ({ kind: 'failed', error: result.thrown })) } : result
  return (...call) => {
    const made = callHandler(...call)
    return { ...made, isGivenUp: false, result: made.result.then((result) => blame(result, made.members)) }
  }
}

function blindToLanes(createBatches: (scope: unknown) => Batches): (scope: unknown) => Batches {
  return (scope) => {
    const made = createBatches(scope)
    return { ...made, bind: (floor) => made.bind(Object.create(floor, { aheadOf: { value: () => undefined } })) }
  }
}

async function play(scenario: keyof typeof scenarios): Promise<void> {
  const { playBatches } = await import('../../../test/batch-play.ts')
  await scenarios[scenario](playBatches)
}

afterEach(() => {
  for (const { path } of Object.values(plants)) vi.doUnmock(path)
  vi.resetModules()
})

describe('planted bugs of batches', () => {
  it.each(Object.keys(scenarios) as (keyof typeof scenarios)[])('without any: %s', play)

  it.each(Object.entries(plants))('a runtime that %s is caught', async (_, { scenario, path, mistake }) => {
    vi.resetModules()
    vi.doMock(path, async (original) => mistake(await original()))
    await expect(play(scenario)).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })
})
