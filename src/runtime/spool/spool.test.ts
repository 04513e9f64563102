import { describe, expect, it } from 'vitest'
import { type FakeDisk, fakeDisk } from '../../../test/fake-disk.ts'
import { decoded, gate, testingWorld, type World } from '../../../test/testing-world.ts'
import type { Duration } from '../../core/duration.ts'
import { textHeader } from '../../core/headers.ts'
import { redriveHeaders } from '../../core/letter.ts'
import type { Message } from '../../core/message.ts'
import type { Files } from '../../core/ports.ts'
import type { Faults } from '../../transports/memory/faults.ts'
import type { Transport } from '../../transports/seam.ts'
import type { ChannelOptions } from '../channel-options.ts'
import type { Consumer } from '../consumer.ts'

const minute = 60_000
const root = '/var/spool'
const spooling = { onDeadLetterFailure: { spool: root } } satisfies ChannelOptions
const failsIfBad = (value: unknown, ctx: { deadLetter(): never }): unknown => String(value).startsWith('bad') && ctx.deadLetter()

const letterOf = (message: Message): string | undefined => textHeader(message.headers, redriveHeaders.letter)
const values = async (world: World, channel = 'dead'): Promise<readonly unknown[]> =>
  (await world.letters(channel)).map((message) => decoded(message))

interface Stage {
  readonly world: World
  readonly disk: FakeDisk
  /** Starts a consumer in a process of its own; killing it ends its connection and its locks, and nothing that it began goes on. */
  start(options?: ChannelOptions, own?: Own): Promise<{ readonly consumer: Consumer; kill(): void }>
  /** Arms the connections of all processes, also of those to come; the result disarms them. */
  arm(fault: (faults: Faults) => () => void): () => void
}

interface Own {
  readonly drain?: Duration
  readonly files?: (healthy: Files) => Files
}

const refusesLetters = (faults: Faults): (() => void) => faults.refuse('dead')

/** The channel has the letter at once and says so much later. */
const answersLate =
  (value: string, ms: number) =>
  (faults: Faults): (() => void) =>
    faults.on('send.after-write', ({ address, message }) =>
      address?.name === 'dead' && message && decoded(message) === value ? { delay: ms } : undefined,
    )

const asItIs = (healthy: Files): Files => healthy

/** A disk that takes nothing before. */
const writesAfter =
  (before: Promise<void>) =>
  (healthy: Files): Files => ({
    ...healthy,
    async create(path) {
      const file = await healthy.create(path)
      const write = async (content: Uint8Array): Promise<void> => {
        await before
        await file.write(content)
      }
      return { ...file, write }
    },
  })

function stage(move: 'atomic' | 'none' = 'none'): Stage {
  const world = testingWorld()
  const disk = fakeDisk(root)
  const connected: Faults[] = []
  const armed = new Map<(faults: Faults) => () => void, (() => void)[]>()
  return {
    world,
    disk,
    arm(fault) {
      armed.set(fault, connected.map(fault))
      return () => {
        for (const disarm of armed.get(fault) ?? []) disarm()
        armed.delete(fault)
      }
    },
    async start(options, { drain = '25s', files: wrap = asItIs } = {}) {
      const { files, kill } = disk.process()
      const connection = world.broker.connect()
      connected.push(connection.faults)
      for (const [fault, disarms] of armed) disarms.push(fault(connection.faults))
      const transport: Transport = { ...connection, capabilities: { ...connection.capabilities, move } }
      const platform = { ...world.platform, files: wrap(files) }
      const consumer = await world.consume(failsIfBad, { ...spooling, ...options }, { transport, platform, drain })
      return {
        consumer,
        kill() {
          connection.faults.down()
          kill()
        },
      }
    },
  }
}

describe.each(['atomic', 'none'] as const)('onDeadLetterFailure: spool (move: %s)', (move) => {
  it('completes the source once the letter is on the disk, and sends it when the channel is back', async () => {
    const { world, disk, start, arm } = stage(move)
    await start()
    const repair = arm(refusesLetters)
    await world.put('bad', { id: 'm-1' })
    for (const value of ['a', 'b']) await world.put(value)
    expect(world.of('completed')).toHaveLength(2)
    expect([await world.letters(), await world.letters('work')]).toEqual([[], []])
    expect(world.of('spooled')).toMatchObject([{ messageId: 'm-1', to: 'dead', depth: 1, reason: 'NonRetryableError' }])
    expect(world.of('dead-lettered')).toEqual([])
    repair()
    await world.clock.advance(minute)
    expect(await values(world)).toEqual(['bad'])
    expect(world.of('dead-lettered')).toMatchObject([{ messageId: 'm-1', to: 'dead', letter: world.of('spooled')[0]?.letter }])
    expect(world.of('spool-drained')).toHaveLength(1)
    expect(disk.paths()).toEqual([])
  })
})

describe('the spool', () => {
  it('drains in order, new letters behind the waiting ones, at no more than its rate', async () => {
    const { world, start, arm } = stage()
    await start({ onDeadLetterFailure: { spool: root, drainRate: 10 } })
    const repair = arm(refusesLetters)
    const expected = Array.from({ length: 30 }, (_, n) => `bad ${n}`)
    for (const value of expected.slice(0, 20)) await world.put(value)
    repair()
    await world.clock.advance(700)
    for (const value of expected.slice(20)) await world.put(value)
    const between = (await values(world)).length
    await world.clock.advance(1000)
    expect((await values(world)).length - between).toBeLessThanOrEqual(11)
    await world.clock.advance(minute)
    expect(await values(world)).toEqual(expected)
  })

  it('asks a channel that is down once for all letters, and not for each', async () => {
    const { world, start, arm } = stage()
    await start()
    arm(refusesLetters)
    for (let n = 0; n < 50; n++) await world.put(`bad ${n}`)
    await world.clock.advance(minute)
    expect(world.of('spooled')).toHaveLength(50)
    expect(world.of('dead-letter-failed').length).toBeLessThan(15)
  })

  it('reports its depth in metrics', async () => {
    const { world, start, arm } = stage()
    const { consumer } = await start()
    arm(refusesLetters)
    for (let n = 0; n < 3; n++) await world.put(`bad ${n}`)
    const value = (name: string): unknown => consumer.metrics().find((family) => family.name === name)?.points[0]?.value
    expect([value('dlq_spool_depth'), value('dlq_spooled_total'), value('messages_held')]).toEqual([3, 3, 0])
  })

  it('keeps letters over kill -9 and a power loss, for the next start', async () => {
    const { world, disk, start, arm } = stage()
    const first = await start()
    const repair = arm(refusesLetters)
    for (let n = 0; n < 5; n++) await world.put(`bad ${n}`)
    first.kill()
    disk.cutPower()
    repair()
    await start()
    await world.clock.advance(minute)
    expect(world.of('spool-found')).toMatchObject([{ channel: 'work', depth: 5, aside: 0 }])
    expect(await values(world)).toEqual([0, 1, 2, 3, 4].map((n) => `bad ${n}`))
  })

  it('gives a second copy the same id when the process dies between the disk and the completion', async () => {
    const { world, start, arm } = stage()
    const first = await start()
    const repair = arm(refusesLetters)
    const complete = arm((faults) => faults.on('settle.complete', { fail: 'unreachable' }))
    await world.put('bad')
    first.kill()
    complete()
    repair()
    await start()
    await world.clock.advance(5 * minute)
    const letters = await world.letters()
    // This broker deduplicates; on one that does not there are two copies.
    expect([new Set(letters.map(letterOf)).size, await world.letters('work')]).toEqual([1, []])
    expect(world.of('dead-lettered').map(({ letter }) => letter)).toEqual(Array(2).fill(letterOf(letters[0] as Message)))
  })

  it('holds instead while the disk is full, and completes nothing', async () => {
    const { world, disk, start, arm } = stage()
    await start()
    const repair = arm(refusesLetters)
    disk.leave(100)
    await world.put('bad')
    await world.put('healthy')
    await world.clock.advance(minute)
    expect([await values(world, 'work'), world.of('completed').length, disk.paths()]).toEqual([['bad'], 1, []])
    expect(world.of('spool-failed')[0]?.error).toContain('ENOSPC')
    disk.leave(1_000_000)
    await world.clock.advance(minute)
    expect([await values(world, 'work'), disk.paths().length]).toEqual([[], 1])
    repair()
    await world.clock.advance(minute)
    expect(await values(world)).toEqual(['bad'])
  })

  it('holds instead when it has reached its maxSize', async () => {
    const { world, start, arm } = stage()
    await start({ onDeadLetterFailure: { spool: root, maxSize: '1MiB' } })
    const repair = arm(refusesLetters)
    const large = 'x'.repeat(600_000)
    await world.put(`bad ${large}`)
    await world.put(`bad ${large}`)
    await world.clock.advance(minute)
    expect([world.of('spooled').length, (await world.letters('work')).length]).toEqual([1, 1])
    repair()
    await world.clock.advance(5 * minute)
    expect([(await world.letters()).length, await world.letters('work')]).toEqual([2, []])
  })

  it.each(['create', 'write', 'sync', 'rename', 'syncFolder'] as const)('completes nothing when %s fails', async (verb) => {
    const { world, disk, start, arm } = stage()
    await start()
    const repair = arm(refusesLetters)
    disk.fail(verb, 'EIO', 1)
    await world.put('bad')
    expect([await values(world, 'work'), disk.paths()]).toEqual([['bad'], []])
    repair()
    await world.clock.advance(minute)
    expect([await values(world), await values(world, 'work')]).toEqual([['bad'], []])
  })

  it('removes what a crash left half-written, and says so', async () => {
    const { world, disk, start, arm } = stage()
    const first = await start()
    arm(refusesLetters)
    await world.put('bad 0')
    first.kill()
    const [whole = ''] = disk.paths()
    const { files } = disk.process()
    const torn = await files.create(whole.replace(/0*1-1\.letters/, '000000000002-1.letters.new'))
    await torn.write(disk.content(whole).subarray(0, 40))
    await start()
    expect(disk.paths()).toEqual([whole])
    expect(world.logs.filter(({ message }) => message.startsWith('Removed a half-written spool file'))).toHaveLength(1)
  })

  it('sets a damaged file aside and sends every letter in it that is whole', async () => {
    const { world, disk, start, arm } = stage()
    const first = await start()
    const repair = arm(refusesLetters)
    await world.put('bad 0')
    // While the first of these is synced the others wait, and share a file.
    for (let n = 1; n < 4; n++) await world.broker.send({ name: 'work' }, bad(n))
    await world.clock.advance(1000)
    const shared = disk.paths().find((path) => !path.includes('-1.')) ?? disk.paths()[1] ?? ''
    const count = Number(/-(\d+)\.letters/.exec(shared)?.[1])
    first.kill()
    disk.damage(shared, (content) => {
      content[content.length - 3] = 0
      return content
    })
    repair()
    await start()
    await world.clock.advance(minute)
    expect(await world.letters()).toHaveLength(4 - 1)
    expect(world.of('spool-set-aside')).toMatchObject([{ why: expect.stringContaining(`1 of its ${count}`) }])
    expect(disk.paths()).toEqual([shared.replace(/letters$/, 'aside')])
  })

  it('is taken over from a dead process, and never from a living one', async () => {
    const { world, disk, start, arm } = stage()
    const repair = arm(refusesLetters)
    const [one, two] = [await start(), await start()]
    for (let n = 0; n < 40; n++) await world.put(`bad ${n}`)
    const slots = new Set(disk.paths().map((path) => path.split('/').at(-2)))
    expect(slots).toEqual(new Set(['1', '2']))
    two.kill()
    await world.clock.settle()
    const three = await start()
    expect(world.of('spool-found')).toHaveLength(1)
    repair()
    await world.clock.advance(minute)
    expect([(await world.letters()).length, new Set((await world.letters()).map(letterOf)).size]).toEqual([40, 40])
    expect(disk.paths()).toEqual([])
    await Promise.all([one.consumer.stop(), three.consumer.stop()])
  })

  it('empties the slots of all dead processes into its own', async () => {
    const { world, disk, start, arm } = stage()
    const repair = arm(refusesLetters)
    const dead = [await start(), await start(), await start()]
    for (let n = 0; n < 60; n++) await world.put(`bad ${n}`)
    for (const { kill } of dead) kill()
    await start()
    expect(new Set(disk.paths().map((path) => path.split('/').at(-2)))).toEqual(new Set(['1']))
    repair()
    await world.clock.advance(minute)
    expect(new Set((await world.letters()).map(letterOf)).size).toBe(60)
  })

  it('sends what it can when the consumer stops, and keeps the rest, each letter once', async () => {
    const { world, disk, start, arm } = stage()
    const { consumer } = await start({ onDeadLetterFailure: { spool: root, drainRate: 10 } })
    const repair = arm(refusesLetters)
    for (let n = 0; n < 400; n++) await world.put(`bad ${n}`)
    await world.clock.advance(1000)
    repair()
    const stopped = consumer.stop()
    await world.clock.advance(2 * minute)
    await stopped
    const sent = (await world.letters()).length
    expect([sent > 200, sent < 400, disk.paths().length > 0]).toEqual([true, true, true])
    await start()
    await world.clock.advance(minute)
    const letters = await world.letters()
    expect([letters.length, new Set(letters.map(letterOf)).size]).toEqual([400, 400])
  })

  it('leaves everything for the next start when the channel is still down at the stop', async () => {
    const { world, disk, start, arm } = stage()
    const { consumer } = await start()
    arm(refusesLetters)
    await world.put('bad')
    const stopped = consumer.stop()
    await world.clock.advance(10)
    expect(world.of('stopped')).toEqual([{ released: 0 }])
    await stopped
    expect(disk.paths()).toHaveLength(1)
  })

  it.each([
    { drain: '0ms', unanswered: 'bad 0', left: 3 },
    { drain: '1s', unanswered: 'bad 2', left: 1 },
  ] as const)('keeps its slot after a stop ($drain) until $unanswered is answered', async ({ drain, unanswered, left }) => {
    const { world, disk, start, arm } = stage()
    const { consumer } = await start({}, { drain })
    const repair = arm(refusesLetters)
    // The last two share a file.
    await world.put('bad 0')
    for (let n = 1; n < 4; n++) await world.broker.send({ name: 'work' }, bad(n))
    await world.clock.advance(minute)
    repair()
    arm(answersLate(unanswered, 2 * minute))
    const stopped = consumer.stop()
    await world.clock.advance(1000)
    await stopped
    const waiting = disk.paths()
    await start()
    expect([world.of('spool-found'), disk.paths()]).toEqual([[], waiting])
    await world.clock.advance(2 * minute)
    expect(await world.letters()).toHaveLength(4 - left)
    await start()
    await world.clock.advance(minute)
    expect(world.of('spool-found')).toMatchObject([{ depth: left, folder: expect.stringMatching(/\/1$/) }])
    expect([await values(world), disk.paths()]).toEqual([['bad 0', 'bad 1', 'bad 2', 'bad 3'], []])
    expect(world.of('spool-failed')).toEqual([])
  })

  it('keeps its slot after a stop until the letter is written that a slow disk has not taken yet', async () => {
    const { world, disk, start, arm } = stage()
    arm(refusesLetters)
    const disksTurn = gate()
    const { consumer } = await start({}, { drain: '0ms', files: writesAfter(disksTurn.promise) })
    await world.put('bad 0')
    const stopped = consumer.stop()
    await world.clock.advance(minute)
    await stopped
    await start()
    await world.clock.advance(minute)
    disksTurn.resolve()
    await world.clock.settle()
    expect(disk.paths()).toMatchObject(['1', '2'].map((slot) => expect.stringMatching(`/${slot}/0*1-1.letters$`)))
    await start()
    expect(world.of('spool-found')).toMatchObject([{ depth: 1, folder: expect.stringMatching(/\/1$/) }])
  })

  it('begins no send any more once the time of its stop is over', async () => {
    const { world, start, arm } = stage()
    const { consumer } = await start({ onDeadLetterFailure: { spool: root, drainRate: 1 } }, { drain: '500ms' })
    const repair = arm(refusesLetters)
    for (let n = 0; n < 3; n++) await world.put(`bad ${n}`)
    await world.clock.advance(minute)
    repair()
    const stopped = consumer.stop()
    await world.clock.advance(minute)
    await stopped
    expect(await values(world)).toEqual(['bad 0'])
  })

  it('keeps a letter that its channel will never take for a person, and goes on', async () => {
    const { world, disk, start, arm } = stage()
    await start()
    const repair = arm(refusesLetters)
    for (let n = 0; n < 3; n++) await world.put(`bad ${n}`)
    repair()
    arm((faults) =>
      faults.on('send.before-write', ({ message, address }) =>
        address?.name === 'dead' && message && decoded(message) === 'bad 1' ? { fail: 'too-large' } : undefined,
      ),
    )
    await world.clock.advance(minute)
    expect(await values(world)).toEqual(['bad 0', 'bad 2'])
    expect(disk.paths()).toMatchObject([expect.stringMatching(/\.aside$/)])
  })

  it('refuses to start where its folder is missing, and makes none', async () => {
    const { start } = stage()
    await expect(start({ onDeadLetterFailure: { spool: '/not/mounted' } })).rejects.toMatchObject({ code: 'spool-unusable' })
  })

  it('never writes a payload into a log line', async () => {
    const { world, disk, start, arm } = stage()
    await start()
    arm(refusesLetters)
    disk.fail('write', 'EIO', 3)
    await world.put('bad-secret-4711')
    await world.clock.advance(minute)
    expect(JSON.stringify([world.logs, world.told])).not.toContain('secret-4711')
  })
})

function bad(n: number): Message {
  return { type: 'job', body: new TextEncoder().encode(JSON.stringify(`bad ${n}`)), headers: [] }
}
