import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeDisk } from '../../../test/fake-disk.ts'
import type { Files } from '../../core/ports.ts'

/**
 * The scenarios that guard the spool, on the code as it is, where they must pass, and on the same code with one plausible mistake,
 * where they must fail.
 */
const minute = 60_000
const root = '/var/spool'

type Plant =
  | { readonly scenario: Scenario; readonly files: (healthy: Files) => Files }
  | {
      readonly scenario: Scenario
      readonly module: string
      readonly mistake: (original: Readonly<Record<string, unknown>>) => object
    }
type Scenario = keyof typeof scenarios

const scenarios = {
  /** Every message must be somewhere: in its channel, among the letters, or on the disk as it is after a power loss. */
  'a power loss at any moment loses nothing': async (wrap: (healthy: Files) => Files) => {
    const { testingWorld, decoded } = await import('../../../test/testing-world.ts')
    const world = testingWorld()
    const disk = fakeDisk(root)
    const options = { onDeadLetterFailure: { spool: root } } as const
    const begin = async (): Promise<{ kill(): void }> => {
      const { files } = disk.process()
      const connection = world.broker.connect()
      connection.faults.refuse('dead')
      const own = { transport: connection, platform: { ...world.platform, files: wrap(files) } }
      await world.consume((_, ctx) => ctx.deadLetter(), options, own)
      return { kill: () => connection.faults.down() }
    }
    const first = await begin()
    for (let n = 0; n < 5; n++) await world.put(n)
    first.kill()
    disk.cutPower()
    const { files } = disk.process()
    const own = { transport: world.broker.connect(), platform: { ...world.platform, files } }
    await world.consume((_, ctx) => ctx.deadLetter(), options, own)
    await world.clock.advance(minute)
    expect((await world.letters()).map((message) => decoded(message)).sort()).toEqual([0, 1, 2, 3, 4])
  },
  'a letter is on the disk until its channel has confirmed it': async (wrap: (healthy: Files) => Files) => {
    const { testingWorld } = await import('../../../test/testing-world.ts')
    const world = testingWorld()
    const disk = fakeDisk(root)
    const connection = world.broker.connect()
    const platform = { ...world.platform, files: wrap(disk.process().files) }
    const repair = connection.faults.refuse('dead')
    await world.consume(
      (_, ctx) => ctx.deadLetter(),
      { onDeadLetterFailure: { spool: root } },
      { transport: connection, platform },
    )
    await world.put(1)
    repair()
    const kept: number[] = []
    connection.faults.on('send.before-write', () => {
      kept.push(disk.paths().length)
      return { fail: 'unsure' }
    })
    await world.clock.advance(minute)
    expect(kept.length).toBeGreaterThan(2)
    expect(new Set(kept)).toEqual(new Set([1]))
  },
} as const

/** The disk says that it is done before it is. */
const lying = (...verbs: readonly ('sync' | 'syncFolder')[]): ((healthy: Files) => Files) => {
  return (healthy) => ({
    ...healthy,
    ...(verbs.includes('syncFolder') && { syncFolder: async () => {} }),
    async create(path) {
      const file = await healthy.create(path)
      return verbs.includes('sync') ? { ...file, sync: async () => {} } : file
    },
  })
}

const plants: Readonly<Record<string, Plant>> = {
  'completes before the content is synced': { scenario: 'a power loss at any moment loses nothing', files: lying('sync') },
  'completes before the name is synced': { scenario: 'a power loss at any moment loses nothing', files: lying('syncFolder') },
  'completes before the letter is written': {
    scenario: 'a power loss at any moment loses nothing',
    module: './spool.ts',
    mistake: ({ openSpool }) => ({
      openSpool: async (...given: never[]) => {
        const spool = await (openSpool as (...made: never[]) => Promise<{ put(letter: never): Promise<void> }>)(...given)
        return { ...spool, put: async () => {} }
      },
    }),
  },
  'removes letters before they are confirmed': {
    scenario: 'a letter is on the disk until its channel has confirmed it',
    module: './batch-files.ts',
    mistake: (original) => ({
      ...original,
      createBatchFiles: (...given: never[]) => {
        const made = (original['createBatchFiles'] as (...given: never[]) => Made)(...given)
        const early = { read: async (batch: never) => made.read(batch).finally(() => made.drop(batch)) }
        return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(made), read: { value: early.read } })
      },
    }),
  },
}

interface Made {
  read(batch: never): Promise<unknown>
  drop(batch: never): Promise<void>
}

afterEach(() => {
  for (const plant of Object.values(plants)) if ('module' in plant) vi.doUnmock(plant.module)
  vi.resetModules()
})

describe('planted bugs of the spool', () => {
  it.each(Object.keys(scenarios) as Scenario[])('without any: %s', (scenario) => scenarios[scenario]((healthy) => healthy))

  it.each(Object.entries(plants))('a spool that %s is caught', async (_, plant) => {
    vi.resetModules()
    if ('module' in plant) vi.doMock(plant.module, async (original) => plant.mistake(await original()))
    const wrap = 'files' in plant ? plant.files : (healthy: Files) => healthy
    await expect(scenarios[plant.scenario](wrap)).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })
})
