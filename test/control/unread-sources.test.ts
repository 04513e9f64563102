import { describe, expect, onTestFinished, test } from 'vitest'
import { RedriveError } from '../../src/core/errors.ts'
import type { RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import type { ConfiguredSource } from '../../src/ops/sources.ts'
import { type VirtualClock, virtualClock } from '../../src/platform/virtual-clock.ts'
import { type MemoryTransport, memory } from '../../src/transports/memory/memory.ts'
import type { Receiver, Transport } from '../../src/transports/seam.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { alerting, outbox } from './alerting.fixture.ts'
import { deadLetter } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'
import { describeAlone, planeUnderTest } from './planes-under-test.ts'

const minute = 60_000
const hour = 60 * minute
const keepsFor = 3 * hour
const address = { name: 'dlq.orders' }

interface World {
  readonly clock: VirtualClock
  readonly broker: MemoryTransport
  readonly vault: Vault
  plane: RunningControlPlane
  /** What becomes of whoever reads letters; counting them is another matter. */
  reading: 'works' | 'fails' | 'hangs'
  isAway: boolean
  /** The disk of the vault. */
  isFull: boolean
  /** How often somebody noted how reading goes. */
  notes: number
  /** Another control plane takes over, which may have something else configured. */
  restart(sources?: 'the same' | 'another one'): Promise<void>
  bury(n: number): Promise<void>
}

/** A dead-letter channel whose broker drops what is older than three hours, and a control plane that watches and reads it. */
async function world(mode: ConfiguredSource['mode']): Promise<World> {
  const clock = virtualClock()
  const broker = memory({ clock })
  const inMemory = memoryVault()
  for (const name of ['dlq.orders', 'dlq.other']) {
    await broker.provision({ channels: [{ address: { name }, role: 'dead-letter' }] }, 'apply')
  }
  const vault: Vault = {
    ...inMemory,
    write(operation, input) {
      if (operation === 'noteReading') made.notes++
      return inMemory.write(operation, input)
    },
  }

  async function mayRead(): Promise<void> {
    if (made.reading === 'hangs') await new Promise(() => {})
    if (made.reading === 'fails' || made.isAway) throw new RedriveError('refused', 'Nobody may read.')
  }
  const transport: Transport = {
    ...broker,
    async measure(asked) {
      if (made.isAway) throw new RedriveError('unreachable', 'The broker is away.')
      return { ...(await broker.measure(asked)), keepsFor }
    },
    async browse(...asked) {
      await mayRead()
      return broker.browse(...asked)
    },
    async receive(...asked): Promise<Receiver> {
      const receiver = await broker.receive(...asked)
      return {
        ...receiver,
        async take(...wanted) {
          await mayRead()
          return receiver.take(...wanted)
        },
      }
    },
  }
  let ids = 0
  const open = (name: string): RunningControlPlane =>
    planeUnderTest({
      ...{ vault, clock, newId: () => `id-${++ids}`, draw: (bytes: number) => Buffer.alloc(bytes, ++ids) },
      sources: [{ connection: 'shop', transport, address: { name }, mode, probeEvery: minute }],
      transportNamed: () => transport,
      ...{ alerting, diskFree: async () => (made.isFull ? 0.01 : 0.5) },
    })
  const made: World = {
    ...{ clock, broker, vault, plane: open(address.name), reading: 'works', isAway: false, isFull: false, notes: 0 },
    async restart(sources = 'the same') {
      await made.plane.close()
      made.plane = open(sources === 'the same' ? address.name : 'dlq.other')
      await made.plane.start()
    },
    async bury(n) {
      await broker.send(address, deadLetter({ n }))
    },
  }
  await made.plane.start()
  onTestFinished(async () => {
    if (made.reading !== 'hangs') await made.plane.close()
    await inMemory.close()
  })
  return made
}

/** Of the source, and of what people were told about whether it can be read and what is lost. */
const readingOf = async ({ plane }: World) => (await plane.sources())[0]?.reading
const alertsOf = ({ plane }: World) => plane.alerts.list({ which: 'open', limit: 100 })
const rulesOf = async (made: World) => (await alertsOf(made)).map(({ rule }) => rule)
const told = async ({ vault }: World) => (await outbox(vault)).filter((line) => /probe|loss|broker/.test(line))

const toldOfLoss = async (made: World) => (await told(made)).filter((line) => line.includes('loss'))

/** What is on its way still comes; from then on nothing is read. */
async function fail(made: World): Promise<void> {
  made.reading = 'fails'
  await made.clock.advance(5000)
}

describe.each(['follow', 'collect'] as const)('a source that is to %s, and can no longer be read', (mode) => {
  test('is told once, with what its letters have left, and is over once it can be', async () => {
    const made = await world(mode)
    await made.clock.advance(10 * minute)
    await fail(made)
    const failedAt = made.clock.now()
    await made.bury(1)
    await made.clock.advance(10_000)
    expect(await rulesOf(made)).toContain('probe.failed')
    await made.clock.advance(5 * minute)
    expect(await told(made)).toEqual(['first: probe.failed firing'])
    const [source] = await made.plane.sources()
    expect(source?.reading?.problem).toBe('refused')
    expect(source?.loss).toMatchObject({ isCopied: false })
    expect(Math.abs((source?.loss?.nextAt ?? 0) - (failedAt + keepsFor))).toBeLessThan(10_000)

    await made.clock.advance(1.8 * hour)
    expect(await toldOfLoss(made)).toEqual([])
    await made.clock.advance(0.5 * hour)
    expect(await toldOfLoss(made)).toHaveLength(1)

    made.reading = 'works'
    await made.clock.advance(30 * minute)
    expect((await rulesOf(made)).filter((rule) => /probe|loss/.test(rule))).toEqual([])
    expect((await told(made)).filter((line) => line.startsWith('all-resolved'))).not.toEqual([])
    expect(await readingOf(made)).toEqual({ at: expect.any(Number) })
  })

  test('stays the same alert for a control plane that takes over, also while that one has not tried', async () => {
    const made = await world(mode)
    await made.clock.advance(minute)
    await fail(made)
    await made.clock.advance(2 * minute)
    const isIt = ({ rule }: { readonly rule: string }): boolean => rule === 'probe.failed'
    const alert = (await alertsOf(made)).find(isIt)
    expect(alert?.figures).toMatchObject({ unread: 'refused' })
    for (let times = 0; times < 3; times++) {
      await made.restart()
      await made.clock.advance(2 * minute)
    }
    const later = (await alertsOf(made)).find(isIt)
    expect([later?.episode, later?.firedAt]).toEqual([alert?.episode, alert?.firedAt])
    expect((await told(made)).filter((line) => line.includes('resolved'))).toEqual([])
  })

  test('is known by a note that is written when something changes, and else once a minute while all goes well', async () => {
    const made = await world(mode)
    await made.clock.advance(30 * minute)
    expect(made.notes).toBeGreaterThan(25)
    expect(made.notes).toBeLessThanOrEqual(31)
    await fail(made)
    await made.clock.advance(minute)
    const { notes } = made
    await made.clock.advance(2 * hour)
    expect(made.notes).toBe(notes)
  })

  test('is told by its broker alone where that is away, and is given time to try when it is back', async () => {
    const made = await world(mode)
    await made.clock.advance(10 * minute)
    made.isAway = true
    await made.clock.advance(20 * minute)
    // Whoever reads waits a while before it tries once more.
    made.reading = 'fails'
    made.isAway = false
    while ((await rulesOf(made)).includes('broker.down')) await made.clock.advance(1000)
    expect(await rulesOf(made)).toEqual([])
    made.reading = 'works'
    await made.clock.advance(20 * minute)
    expect(await told(made)).toEqual(['first: broker.down firing', 'all-resolved: broker.down resolved'])
  })

  test('is told to nobody where that was a hiccup', async () => {
    const made = await world(mode)
    await made.clock.advance(minute)
    await fail(made)
    expect(await rulesOf(made)).toEqual([])
    made.reading = 'works'
    await made.clock.advance(5 * minute)
    expect(await told(made)).toEqual([])
    expect(await readingOf(made)).toEqual({ at: expect.any(Number) })
  })

  test('is told as well where nothing is heard at all', async () => {
    const made = await world(mode)
    await made.clock.advance(minute)
    made.reading = 'hangs'
    await made.clock.advance(15 * minute)
    expect(await told(made)).toEqual(['first: probe.failed firing'])
    expect((await readingOf(made))?.problem).toBe('unreachable')
  })

  test('is no alert any more when it leaves the configuration, and none when it comes back and can be read', async () => {
    const made = await world(mode)
    await made.clock.advance(minute)
    await fail(made)
    await made.bury(1)
    await made.clock.advance(2.5 * hour)
    expect(await rulesOf(made)).toEqual(expect.arrayContaining(['probe.failed', 'time.to.loss']))
    made.reading = 'works'
    await made.restart('another one')
    await made.clock.advance(10 * minute)
    expect(await alertsOf(made)).toEqual([])
    const before = await told(made)
    // What it failed with long ago is no news before somebody has tried again.
    made.reading = 'fails'
    await made.restart()
    await made.clock.advance(4000)
    expect((await rulesOf(made)).filter((rule) => /probe|loss/.test(rule))).toEqual([])
    made.reading = 'works'
    await made.clock.advance(10 * minute)
    expect(await told(made)).toEqual(before)
  })
})

describeAlone('a disk that is full', () => {
  test('is no fault of a source, whose letters are lost all the same', async () => {
    const made = await world('collect')
    made.isFull = true
    await made.clock.advance(minute)
    await made.bury(1)
    await made.clock.advance(2.5 * hour)
    expect((await told(made)).filter((line) => line.includes('probe'))).toEqual([])
    expect(await toldOfLoss(made)).toHaveLength(1)
  })
})

test('a copy is safe while it is read, however old what lies there is; then what was read last counts', async () => {
  const made = await world('follow')
  await made.bury(1)
  await made.clock.advance(2.8 * hour)
  expect(await told(made)).toEqual([])
  await fail(made)
  await made.clock.advance(1.5 * hour)
  expect(await toldOfLoss(made)).toEqual([])
  expect(await made.plane.sources()).toMatchObject([{ isAtLeast: true }])
})

test('a clock that is put back makes nobody believe that a source was read lately', async () => {
  const made = await world('follow')
  await made.bury(1)
  await made.clock.advance(hour)
  await fail(made)
  await made.clock.advance(minute)
  made.clock.jump(-40 * 24 * hour)
  await made.clock.advance(5 * minute)
  expect(await told(made)).toEqual(['first: probe.failed firing'])
  made.reading = 'works'
  await made.clock.advance(5 * minute)
  const reading = await readingOf(made)
  expect(reading?.at).toBeLessThanOrEqual(made.clock.now())
})
