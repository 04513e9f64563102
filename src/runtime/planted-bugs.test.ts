import { afterEach, describe, expect, it, vi } from 'vitest'
import type { World } from '../../test/testing-world.ts'
import type { Decision, Outcome } from '../core/decision.ts'
import type { Delivery, Settlement, Transport } from '../transports/seam.ts'

/**
 * Each safety scenario runs twice: on the code as it is, where it must pass, and on the same code with one plausible mistake,
 * where it must fail. A scenario that passes both times guards nothing.
 */
type Scenario = (world: World, transport: Transport) => Promise<void>
type Settle = Transport['settle']

const minute = 60_000

function withoutMove(transport: Transport): Transport {
  return { ...transport, capabilities: { ...transport.capabilities, move: 'none' } }
}

/** The same transport with another way to settle. */
function settling(
  transport: Transport,
  settle: (original: Settle, delivery: Delivery, settlement: Settlement) => Promise<void>,
): Transport {
  return { ...transport, settle: (delivery, settlement) => settle(transport.settle, delivery, settlement) }
}

async function stopWhileRunning(world: World, transport: Transport): Promise<void> {
  const abortable = (signal: AbortSignal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const consumer = await world.consume((_, { signal }) => abortable(signal), { maxDeliveryCount: 2 }, { transport, drain: '1s' })
  await world.put(1)
  const stopped = consumer.stop()
  await world.clock.advance(5000)
  await stopped
}

const scenarios = {
  'nothing is lost while the dead-letter channel is down': async (world, transport) => {
    await world.consume((_, ctx) => ctx.deadLetter(), {}, { transport })
    world.broker.faults.refuse('dead')
    await world.put(1)
    await world.clock.advance(minute)
    expect(await world.letters('work')).toHaveLength(1)
  },
  'a release at shutdown is not an attempt': async (world, transport) => {
    await stopWhileRunning(world, transport)
    const receiver = await world.broker.receive({ name: 'work' }, { prefetch: 1, hold: 1000 })
    expect(await receiver.take(1, 0)).toMatchObject([{ turns: 0 }])
  },
  'shutdown dead-letters nothing': async (world, transport) => {
    await stopWhileRunning(world, transport)
    expect(await world.letters()).toEqual([])
  },
  'two messages of one key never run at once': async (world, transport) => {
    const { KeyedJob } = await import('../../test/testing-world.ts')
    let running = 0
    let most = 0
    const consumer = world.consumer({ transport })
    consumer.channel('work', { deadLetter: 'dead' }).on(KeyedJob, async () => {
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => world.clock.after(10, resolve))
      running--
    })
    await consumer.start()
    for (let n = 0; n < 10; n++) await world.put({ key: 'a', n }, { key: 'a' })
    await world.clock.advance(minute)
    expect([most, world.of('completed').length]).toEqual([1, 10])
  },
  'what is not ours any more is not settled': async (world, transport) => {
    let settled = 0
    const counting = settling(transport, (settle, ...call) => {
      settled++
      return settle(...call)
    })
    const late = Promise.withResolvers<void>()
    await world.consume(() => late.promise, {}, { transport: counting })
    await world.put(1)
    world.broker.faults.down()
    await world.clock.settle()
    late.resolve()
    await world.clock.settle()
    expect(settled).toBe(0)
  },
  'a letter that was sent back and fails again is written again': async (world, transport) => {
    await world.consume((_, ctx) => ctx.deadLetter(), {}, { transport: withoutMove(transport) })
    await world.put(1)
    const [letter] = await world.letters()
    await world.broker.remove({ name: 'dead' }, '1')
    await world.put(1, letter)
    expect(await world.letters()).toHaveLength(1)
  },
  'a suspect runs alone': async (world, transport) => {
    const { Job, provision } = await import('../../test/testing-world.ts')
    await provision(world.broker)
    await world.put('suspect')
    const crashing = world.broker.connect()
    await (await crashing.receive({ name: 'work' }, { prefetch: 1, hold: minute })).take(1, 0)
    const running: unknown[] = []
    const consumer = world.consumer({ transport })
    for (const name of ['work', 'other']) {
      consumer.channel(name, { deadLetter: 'dead' }).on(Job, (value) => new Promise(() => running.push(value)))
    }
    await consumer.start()
    crashing.faults.loseConnection()
    await world.clock.settle()
    await world.put('neighbour', {}, 'other')
    expect(running).toEqual(['suspect'])
  },
} satisfies Record<string, Scenario>

interface Plant {
  readonly scenario: keyof typeof scenarios
  /** Replaces a module by one with a mistake. */
  readonly module?: { readonly path: string; readonly mistake: (original: Readonly<Record<string, unknown>>) => object }
  /** Puts a mistake between the runtime and the broker. */
  readonly transport?: (healthy: Transport) => Transport
}

const plants: Readonly<Record<string, Plant>> = {
  'completes before the letter is sent': {
    scenario: 'nothing is lost while the dead-letter channel is down',
    module: {
      path: '../core/plan.ts',
      mistake: () => ({ plan: () => [{ kind: 'complete' }, { kind: 'send', to: 'dead-letter', delay: 0 }] }),
    },
  },
  'swallows a failed publish': {
    scenario: 'nothing is lost while the dead-letter channel is down',
    transport: (healthy) =>
      settling(healthy, (settle, delivery, settlement) =>
        settle(delivery, settlement).catch(() => settle(delivery, { kind: 'complete' })),
      ),
  },
  'counts a release as an attempt': {
    scenario: 'a release at shutdown is not an attempt',
    transport: (healthy) =>
      settling(healthy, (settle, delivery, settlement) =>
        settle(delivery, settlement.kind === 'release' ? { kind: 'retry', delay: 0 } : settlement),
      ),
  },
  'takes an abort for a permanent failure': {
    scenario: 'shutdown dead-letters nothing',
    module: {
      path: '../core/decide.ts',
      mistake: (original) => ({ ...original, decide: buryCancelled }),
    },
  },
  'runs siblings of a key side by side': {
    scenario: 'two messages of one key never run at once',
    module: {
      path: './lanes.ts',
      mistake: () => ({ createLanes: () => ({ enter: () => true, leave: () => undefined, sendBackWaiting: () => [] }) }),
    },
  },
  'does not fence what it lost': {
    scenario: 'what is not ours any more is not settled',
    module: { path: './turn.ts', mistake: ({ Turn }) => ({ Turn: unfenced(Turn) }) },
  },
  'deduplicates letters by their id alone': {
    scenario: 'a letter that was sent back and fails again is written again',
    module: {
      path: './letter-identity.ts',
      mistake: (original) => ({ ...original, copyId: (_: unknown, letter: { id: string }) => letter.id }),
    },
  },
  'runs suspects in company': {
    scenario: 'a suspect runs alone',
    module: {
      path: './solo.ts',
      mistake: () => ({
        createSolo: () => ({
          wanted: false,
          running: false,
          enter: () => {},
          leave: () => {},
          request: (_: unknown, start: () => void) => start(),
          done: () => {},
        }),
      }),
    },
  },
}

function buryCancelled(_policy: unknown, _graves: unknown, _situation: unknown, outcome: Outcome): Decision {
  if (outcome.kind === 'succeeded') return { kind: 'complete' }
  return { kind: 'bury', grave: 'dead-letter', reason: 'NonRetryableError' }
}

function unfenced(original: unknown): unknown {
  const Turn = original as new (...made: never[]) => object
  return class extends Turn {
    constructor(...made: never[]) {
      super(...made)
      for (const flag of ['fenced', 'over']) Object.defineProperty(this, flag, { get: () => false, set: () => {} })
    }
  }
}

async function play({ scenario, transport = (healthy) => healthy }: Plant): Promise<void> {
  const { testingWorld } = await import('../../test/testing-world.ts')
  const world = testingWorld()
  await scenarios[scenario](world, transport(world.broker))
}

afterEach(() => {
  for (const { module } of Object.values(plants)) if (module) vi.doUnmock(module.path)
  vi.resetModules()
})

describe('planted bugs', () => {
  it.each(Object.keys(scenarios) as (keyof typeof scenarios)[])('without any: %s', (scenario) => play({ scenario }))

  it.each(Object.entries(plants))('a runtime that %s is caught', async (_, plant) => {
    vi.resetModules()
    const { module } = plant
    if (module) vi.doMock(module.path, async (original) => module.mistake(await original()))
    await expect(play(plant)).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })
})
