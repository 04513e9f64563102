import { describe, expect, it, onTestFinished } from 'vitest'
import type { ConsumerReport } from '../../src/core/consumer-report.ts'
import { RedriveError } from '../../src/core/errors.ts'
import type { AlertingSetup } from '../../src/ops/alerts/start-alerting.ts'
import type { Change } from '../../src/ops/control-plane.ts'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import type { ConfiguredSource } from '../../src/ops/sources.ts'
import { type VirtualClock, virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import type { Measure, Transport } from '../../src/transports/seam.ts'
import type { Finding } from '../../src/transports/topology.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { alerting, outbox } from './alerting.fixture.ts'
import { deadLetter, keep, sourceIn } from './letters.fixture.ts'
import { memoryVault } from './memory-vault.ts'
import { openShop } from './shop.fixture.ts'

/** Sources of which only the counts are looked at, on a broker that counts as it is told. */
interface Watched {
  readonly clock: VirtualClock
  readonly vault: Vault
  plane: RunningControlPlane
  /** What the broker answers for a queue. */
  measure: (queue: string) => Promise<Measure>
  measured: number
  /** The process dies, and another one takes over. */
  restart(): Promise<void>
}

interface WatchedOptions {
  readonly queues: number
  readonly setup?: Partial<AlertingSetup>
  readonly vault?: (vault: Vault) => Vault
  readonly probeEvery?: number
  /** Beside their names. */
  readonly about?: (queue: number) => Partial<ConfiguredSource>
}

async function watch({
  queues,
  setup,
  vault: wrap = (vault) => vault,
  probeEvery = 60_000,
  about,
}: WatchedOptions): Promise<Watched> {
  const clock = virtualClock()
  const inMemory = memoryVault()
  const vault = wrap(inMemory)
  const broker = memory({ clock })
  const transport: Transport = {
    ...broker,
    // So that nobody but the prober counts: what cannot be browsed is not copied before it is lost.
    capabilities: { ...broker.capabilities, browse: 'disturbing' },
    measure: ({ name }) => {
      world.measured++
      return world.measure(name)
    },
  }
  const sources = Array.from({ length: queues }, (_, n): ConfiguredSource => {
    return { connection: 'shop', transport, address: { name: `dlq.${n}` }, mode: 'watch', probeEvery, ...about?.(n) }
  })
  const open = (): RunningControlPlane =>
    createControlPlane({
      vault,
      clock,
      newId: () => 'id',
      draw: (bytes) => new Uint8Array(bytes),
      sources,
      transportNamed: (name) => (name === 'shop' ? transport : undefined),
      alerting: { ...alerting, ...setup },
    })
  const world: Watched = {
    clock,
    vault,
    plane: open(),
    measured: 0,
    measure: async () => ({ retained: 0, pending: 0 }),
    async restart() {
      await world.plane.close()
      world.plane = open()
      await world.plane.start()
    },
  }
  await world.plane.start()
  onTestFinished(async () => {
    await world.plane.close()
    await inMemory.close()
  })
  return world
}

const holding = (retained: number) => async (): Promise<Measure> => ({ retained, pending: retained })
const away = async (): Promise<Measure> => {
  throw new RedriveError('unreachable', 'The broker is away.')
}

async function open({ plane }: Watched): Promise<readonly string[]> {
  const alerts = await plane.alerts.list({ which: 'open', limit: 1000 })
  return alerts.map(({ rule, phase, mutedBy }) => `${rule} ${phase}${mutedBy ? ` ${mutedBy}` : ''}`).toSorted()
}

/** From 0 to 1, none of them the next one's. */
function draws(): () => number {
  let drawn = 0
  return () => (drawn++ * 0.618) % 1
}

describe('a control plane that watches', () => {
  it('queues one notification within seconds of the first letter, with its correlation id and its class of error', async () => {
    const shop = await openShop({ alerting })
    await shop.orders(2)
    await shop.bench.clock.advance(5000)
    expect(await outbox(shop.vault)).toEqual(['first: dlq.any firing'])
    const [delivery] = await shop.vault.read('listDeliveries', { limit: 1 })
    const [alert] = delivery?.notification.alerts ?? []
    expect(alert?.correlationIds).toHaveLength(2)
    expect(alert?.topErrors).toEqual([{ errorClass: 'Error', count: 2, fingerprint: expect.stringMatching(/^v1:/) }])
    expect(JSON.stringify(delivery)).not.toContain('card declined')
    await shop.bench.clock.advance(60_000)
    expect(await outbox(shop.vault)).toEqual(['first: dlq.any firing', 'first: cause.new firing'])
  })

  it('resolves when the letters are dealt with', async () => {
    const shop = await openShop({ alerting })
    await shop.orders(1)
    await shop.bench.clock.advance(60_000)
    await shop.plane.letters.discard({ filter: 'state:open' }, { actor: 'ana' })
    await shop.bench.clock.advance(15 * 60_000)
    expect((await outbox(shop.vault)).slice(2).toSorted()).toEqual([
      'all-resolved: cause.new resolved',
      'all-resolved: dlq.any resolved',
    ])
  })

  it('looks at a source at its own interval, one after the other, and sooner after a failure', async () => {
    const world = await watch({ queues: 1 })
    await world.clock.advance(10 * 60_000)
    expect(world.measured).toBeGreaterThanOrEqual(9)
    expect(world.measured).toBeLessThanOrEqual(12)
    world.measure = away
    await world.clock.advance(60_000)
    const before = world.measured
    await world.clock.advance(7000)
    expect(world.measured - before).toBeLessThanOrEqual(2)
    expect(await open(world)).toContain('probe.failed firing inhibition')
  })

  it('never looks twice at a time, however slow the broker is', async () => {
    const world = await watch({ queues: 1, probeEvery: 250 })
    let underWay = 0
    let most = 0
    world.measure = async () => {
      most = Math.max(most, ++underWay)
      await new Promise<void>((resolve) => world.clock.after(9000, resolve))
      underWay--
      return { retained: 0, pending: 0 }
    }
    await world.clock.advance(120_000)
    expect(most).toBe(1)
  })

  it('the broker is down: one alert for it, its fifty sources are inhibited and unknown; recovery resolves it', async () => {
    const world = await watch({ queues: 50 })
    await world.clock.advance(120_000)
    world.measure = away
    const wentAway = world.clock.now()
    await world.clock.advance(10 * 60_000)
    expect(await outbox(world.vault)).toEqual(['first: broker.down firing'])
    const alerts = await open(world)
    expect(alerts).toContain('broker.down firing')
    expect(alerts.filter((alert) => alert === 'probe.failed firing inhibition')).toHaveLength(50)
    const sources = await world.plane.sources()
    const since = sources.map(({ onBroker }) => ('unknownSince' in onBroker ? onBroker.unknownSince : 0))
    expect(since.every((time) => time >= wentAway && time <= wentAway + 80_000)).toBe(true)
    world.measure = holding(0)
    await world.clock.advance(20 * 60_000)
    expect(await outbox(world.vault)).toEqual(['first: broker.down firing', 'all-resolved: broker.down resolved'])
    expect(await open(world)).toEqual([])
  })

  it('when one queue can be looked at again, the others are looked at at once: none of them is told', async () => {
    const world = await watch({ queues: 50, setup: { random: draws() } })
    await world.clock.advance(120_000)
    world.measure = away
    await world.clock.advance(4 * 60_000)
    world.measure = holding(0)
    const { measured } = world
    await world.clock.advanceUntil(() => world.measured > measured, 120_000)
    expect(world.measured - measured).toBe(50)
    await world.clock.advance(1000)
    expect(await open(world)).toEqual([])
  })

  it('a broker that comes and goes speaks for its queues, and in the end it is told to be back', async () => {
    const world = await watch({ queues: 3, probeEvery: 10_000 })
    await world.clock.advance(60_000)
    for (let times = 0; times < 10; times++) {
      world.measure = away
      await world.clock.advance(60_000)
      world.measure = holding(0)
      await world.clock.advance(60_000)
    }
    await world.clock.advance(60 * 60_000)
    const [fires, ends] = ['first: broker.down firing', 'all-resolved: broker.down resolved']
    expect(await outbox(world.vault)).toEqual([fires, ends, fires, ends])
  })

  it('what comes and goes is among what is not over, also in the moments when it is', async () => {
    const world = await watch({ queues: 1, probeEvery: 10_000 })
    for (let times = 0; times < 12; times++) {
      world.measure = away
      await world.clock.advance(60_000)
      world.measure = holding(0)
      await world.clock.advance(60_000)
    }
    const found = await world.plane.alerts.list({ which: 'open', limit: 10 })
    expect(found.map(({ rule, phase, isFlapping }) => ({ rule, phase, isFlapping }))).toContainEqual({
      ...{ rule: 'broker.down', phase: 'ok', isFlapping: true },
    })
    await world.restart()
    expect(await world.plane.alerts.list({ which: 'open', limit: 10 })).toHaveLength(found.length)
  })

  it('looks at the channel that letters came from: what piles up there, and that nobody takes it', async () => {
    const returnTo = { connection: 'shop', channel: 'orders' }
    const world = await watch({ queues: 2, about: () => ({ returnTo }) })
    let [pending, consumers] = [20_000, 0]
    const asked: string[] = []
    world.measure = async (queue) => {
      asked.push(queue)
      return queue === 'orders' ? { retained: pending, pending, consumers } : { retained: 0, pending: 0 }
    }
    await world.clock.advance(10 * 60_000)
    const told = await outbox(world.vault)
    expect(told).toContain('first: source.lag firing')
    expect(told).toContain('first: consumer.none firing')
    // Both sources name it, and it is looked at once a minute all the same.
    expect(asked.filter((queue) => queue === 'orders').length).toBeLessThanOrEqual(12)
    ;[pending, consumers] = [0, 1]
    await world.clock.advance(20 * 60_000)
    expect(await open(world)).toEqual([])
  })

  it('says nothing of consumers where a broker cannot tell, and nothing of a channel that cannot be looked at', async () => {
    const world = await watch({ queues: 1, about: () => ({ returnTo: { connection: 'shop', channel: 'orders' } }) })
    world.measure = async (queue) => {
      if (queue === 'orders' && world.clock.monotonic() > 15 * 60_000) throw new RedriveError('unknown-channel', 'It is gone.')
      return queue === 'orders' ? { retained: 9, pending: 9 } : { retained: 0, pending: 0 }
    }
    await world.clock.advance(60 * 60_000)
    expect((await outbox(world.vault)).filter((line) => /consumer|probe|broker/.test(line))).toEqual([])
  })

  it('a sub-queue is another queue than the one that it belongs to', async () => {
    const name = 'orders'
    const world = await watch({ queues: 2, about: (n) => ({ address: n === 0 ? { name } : { name, part: 'dead-letter' } }) })
    world.measure = holding(3)
    await world.clock.advance(120_000)
    const alerts = await world.plane.alerts.list({ which: 'open', limit: 100 })
    expect(
      alerts
        .filter(({ rule }) => rule === 'dlq.any')
        .map(({ queue }) => queue)
        .toSorted(),
    ).toEqual(['orders', 'orders/dead-letter'])
  })

  it('a broker that cannot be asked is no empty queue: nothing is resolved', async () => {
    const world = await watch({ queues: 1 })
    world.measure = holding(3)
    await world.clock.advance(120_000)
    world.measure = away
    await world.clock.advance(60 * 60_000)
    const told = await outbox(world.vault)
    expect(told.filter((line) => line.includes('dlq.any resolved'))).toEqual([])
    const [alert] = (await world.plane.alerts.list({ which: 'open', limit: 100 })).filter(({ rule }) => rule === 'dlq.any')
    expect(alert?.unknownSince).toBeTypeOf('number')
  })

  it('what was to be followed and never could be is counted on the broker, and told before it is lost', async () => {
    const world = await watch({ queues: 1, about: () => ({ mode: 'follow' }) })
    world.measure = async () => ({
      retained: 3,
      pending: 3,
      keepsFor: 24 * 3_600_000,
      oldestAt: world.clock.now() - 23.5 * 3_600_000,
    })
    await world.clock.advance(3 * 60_000)
    expect(await open(world)).toEqual(expect.arrayContaining(['dlq.any firing', 'time.to.loss firing']))
  })

  it('10,000 letters of 3 causes in a minute: at most one notification for each cause and rule', async () => {
    const world = await watch({ queues: 1, probeEvery: 1000 })
    await world.clock.advance(2000)
    const source = await sourceIn(world.vault, 'dlq.0')
    for (let batch = 0; batch < 20; batch++) {
      const numbers = Array.from({ length: 500 }, (_, n) => batch * 500 + n)
      const letters = numbers.map((n) => deadLetter({ n, error: ['declined', 'timed out', 'no such customer'][n % 3] ?? '' }))
      await keep(world.vault, source, letters)
      await world.clock.advance(3000)
    }
    await world.clock.advance(30 * 60_000)
    const deliveries = await world.vault.read('listDeliveries', { limit: 1000 })
    const told = deliveries.flatMap(({ notification: { status, alerts } }) => (status === 'firing' ? [alerts] : []))
    const pairs = new Set(told.flat().map(({ rule, cause }) => `${rule} ${cause ?? ''}`))
    expect(told.length).toBeLessThanOrEqual(pairs.size)
    expect([...pairs].filter((pair) => pair.startsWith('cause.new'))).toHaveLength(3)
  }, 120_000)
})

describe('a control plane that looks at settings', () => {
  const finding = (severity: Finding['severity'], what: string): Finding => {
    return { severity, address: { name: 'dlq.0' }, what, message: 'dlq.0 is not as it should be.' }
  }

  /** A broker with these findings about two of its dead-letter queues. */
  async function found(provision: () => Promise<readonly Finding[]>) {
    const asked: string[] = []
    const world = await watch({
      queues: 2,
      about: () => ({
        transport: {
          ...memory(),
          measure: holding(0),
          async provision({ channels }, mode) {
            asked.push(...channels.map(({ address: { name }, role }) => `${mode} ${name} ${role}`))
            return provision()
          },
        },
      }),
    })
    await world.clock.advance(60_000)
    return { world, asked }
  }

  it('tells of those that lose letters once, and when they are mended', async () => {
    let findings = [finding('fatal', 'not-durable'), finding('warning', 'queue-expires'), finding('unknown', 'policies-unseen')]
    const { world, asked } = await found(async () => findings)
    expect(asked).toEqual(['check dlq.0 dead-letter', 'check dlq.1 dead-letter'])
    const [alert] = await world.plane.alerts.list({ which: 'open', limit: 10 })
    expect(alert).toMatchObject({ rule: 'probe.unsafe', severity: 'info', source: 'shop', queue: null, figures: { count: 2 } })
    await world.clock.advance(30 * 60_000)
    expect(await outbox(world.vault)).toEqual(['first: probe.unsafe firing'])
    findings = [finding('missing', 'channel-missing')]
    await world.clock.advance(30 * 60_000)
    expect(await outbox(world.vault)).toEqual(['first: probe.unsafe firing', 'all-resolved: probe.unsafe resolved'])
  })

  it('a broker that cannot be asked has no safe settings: what was found stands', async () => {
    let answer = async (): Promise<readonly Finding[]> => [finding('fatal', 'not-durable')]
    const { world } = await found(() => answer())
    answer = () => Promise.reject(new RedriveError('unreachable', 'The broker is away.'))
    await world.clock.advance(60 * 60_000)
    expect(await open(world)).toEqual(['probe.unsafe firing'])
  })

  it('ends without waiting for a broker that says nothing', async () => {
    const { world } = await found(() => new Promise(() => undefined))
    await world.plane.close()
  })
})

describe('a control plane that hears consumers', () => {
  const counts = { received: 1000, completed: 0, retried: 0, released: 0, failedRuns: 0, deadLettered: 0, publishFailures: 0 }

  /** A report as the runtime sends it. */
  function report(number: number, changes: Partial<typeof counts>, run = 'r1'): ConsumerReport {
    const own = {
      name: 'orders',
      group: null,
      deadLetter: 'dlq.orders',
      state: 'consuming' as const,
      running: 0,
      held: 0,
      parked: 0,
    }
    return {
      ...{ service: 'shop', instance: 'i-1', run, number, version: null, environment: 'test', every: 5000, isLast: false },
      channels: [{ ...own, spooled: 0, spoolAside: 0, counts: { ...counts, ...changes } }],
      ...{ deadLettered: [], succeeded: [], forgotten: 0 },
    }
  }

  it('one that falls silent is told, and letters on its disk at once as critical; when it is back both are over', async () => {
    const world = await watch({ queues: 0 })
    const holding = (number: number, spooled: number, run?: string): ConsumerReport => {
      const [channel, ...others] = report(number, {}, run).channels
      return { ...report(number, {}, run), channels: [...(channel ? [{ ...channel, spooled }] : []), ...others] }
    }
    await world.plane.consumers.report(holding(1, 3), [['*']])
    await world.clock.advance(10_000)
    expect(await open(world)).toEqual(['spool.not.empty pending'])
    await world.clock.advance(2 * 60_000)
    expect(await open(world)).toEqual(['consumer.vanished firing', 'spool.abandoned firing', 'spool.not.empty firing inhibition'])
    await world.plane.consumers.report(holding(2, 0, 'r2'), [['*']])
    await world.clock.advance(10_000)
    expect(await open(world)).toEqual([])
  })

  it('nothing is missing where somebody said that it will not come back', async () => {
    const world = await watch({ queues: 0 })
    await world.plane.consumers.report(report(1, {}), [['*']])
    await world.clock.advance(2 * 60_000)
    const [consumer] = await world.plane.consumers.list()
    expect(await open(world)).toEqual(['consumer.vanished firing'])
    await world.plane.consumers.forget(consumer?.id ?? 0, { actor: 'ana' })
    await world.clock.advance(10_000)
    expect(await open(world)).toEqual([])
  })

  it('what they counted too often is over when nobody is left who could count it', async () => {
    const world = await watch({ queues: 0 })
    const { consumers } = world.plane
    await consumers.report(report(1, {}), [['*']])
    await world.clock.advance(10_000)
    await consumers.report(report(2, { received: 2000, deadLettered: 300, retried: 500, publishFailures: 1 }), [['*']])
    await world.clock.advance(10_000)
    expect(await open(world)).toEqual([
      'dlq.publish.failed firing',
      'fail.ratio firing inhibition',
      'fail.ratio.acute firing',
      'fail.ratio.critical firing',
      'retry.ratio firing',
    ])
    await world.clock.advance(2 * 60_000)
    const [consumer] = await consumers.list()
    await consumers.forget(consumer?.id ?? 0, { actor: 'ana' })
    await world.clock.advance(25 * 60_000)
    expect(await open(world)).toEqual([])
  })

  it('one that says that it stops has not vanished', async () => {
    const world = await watch({ queues: 0 })
    await world.plane.consumers.report({ ...report(1, {}), isLast: true }, [['*']])
    await world.clock.advance(2 * 60_000)
    expect(await open(world)).toEqual([])
  })

  it('seed 003: a letter that could not be published is told at once; what was before the first look is no news', async () => {
    const world = await watch({ queues: 0 })
    const { consumers } = world.plane
    await consumers.report(report(1, { publishFailures: 7 }), [['*']])
    await world.clock.advance(20_000)
    expect(await outbox(world.vault)).toEqual([])
    await consumers.report(report(2, { publishFailures: 8 }), [['*']])
    await world.clock.advance(10_000)
    expect(await outbox(world.vault)).toEqual(['first: dlq.publish.failed firing'])
  })

  it('what they counted while one control plane took over from another is told, and nothing is told twice', async () => {
    const world = await watch({ queues: 0 })
    await world.plane.consumers.report(report(1, { publishFailures: 7 }), [['*']])
    await world.clock.advance(20_000)
    await world.plane.consumers.report(report(2, { publishFailures: 8 }), [['*']])
    await world.clock.advance(20 * 60_000)
    const before = ['first: dlq.publish.failed firing', 'all-resolved: dlq.publish.failed resolved']
    const told = async () => (await outbox(world.vault)).filter((line) => line.includes('publish'))
    expect(await told()).toEqual(before)
    await world.restart()
    await world.clock.advance(10_000)
    expect(await told()).toEqual(before)
    await world.plane.consumers.report(report(3, { publishFailures: 9 }), [['*']])
    await world.restart()
    await world.clock.advance(10_000)
    expect(await told()).toEqual([...before, 'first: dlq.publish.failed firing'])
  })

  it('seed 003: counts on over a restart of the consumer, and takes its numbers for what they are', async () => {
    const world = await watch({ queues: 0 })
    const { consumers } = world.plane
    await consumers.report(report(1, { received: 1_000_000, deadLettered: 900_000 }), [['*']])
    await world.clock.advance(20_000)
    await consumers.report(report(1, { received: 1000, deadLettered: 9 }, 'r2'), [['*']])
    await world.clock.advance(60_000)
    expect(await outbox(world.vault)).toEqual([])
    await consumers.report(report(2, { received: 2000, deadLettered: 210 }, 'r2'), [['*']])
    await world.clock.advance(60_000)
    expect((await outbox(world.vault)).join()).toMatch(/^first: fail\.ratio\.critical firing, fail\.ratio\.acute firing$/)
  })
})

describe('a control plane whose vault fails, or which dies', () => {
  it('says nothing that it could not write down, and loses nothing', async () => {
    let fails = true
    const world = await watch({
      queues: 1,
      vault: (vault) => ({
        ...vault,
        write: ((name: string, input: never) =>
          name === 'commitAlerts' && fails
            ? Promise.reject(new RedriveError('store-full', 'No room.'))
            : vault.write(name as 'commitAlerts', input)) as Vault['write'],
      }),
    })
    world.measure = holding(1)
    await world.clock.advance(5 * 60_000)
    expect(await outbox(world.vault)).toEqual([])
    fails = false
    await world.clock.advance(10_000)
    expect(await outbox(world.vault)).toEqual(['first: dlq.any firing'])
    expect(await open(world)).toEqual(['dlq.any firing'])
  })

  it('takes no broker for being away because the vault cannot say what it knows', async () => {
    let fails = false
    const world = await watch({
      queues: 2,
      vault: (vault) => ({
        ...vault,
        read: ((name: string, input: never) =>
          name === 'listSources' && fails
            ? Promise.reject(new RedriveError('store-failed', 'The disk cannot be read.'))
            : vault.read(name as 'listSources', input as never)) as Vault['read'],
      }),
    })
    world.measure = holding(1)
    await world.clock.advance(5 * 60_000)
    fails = true
    await world.clock.advance(30 * 60_000)
    expect(await open(world)).toEqual(['dlq.any firing', 'dlq.any firing'])
    fails = false
    world.measure = holding(0)
    await world.clock.advance(30 * 60_000)
    expect(await outbox(world.vault)).toEqual([
      'first: dlq.any firing',
      'new-alert: dlq.any firing, dlq.any firing',
      'all-resolved: dlq.any resolved, dlq.any resolved',
    ])
  })

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('tells the same when it is restarted every so often (%i)', async (offset) => {
    const steady = await watch({ queues: 2, probeEvery: 10_000 })
    const restarted = await watch({ queues: 2, probeEvery: 10_000 })
    const counts = [0, 1, 1, 150, 150, 150, 150, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    for (const [minute, count] of counts.entries()) {
      for (const world of [steady, restarted]) {
        world.measure = holding(count)
        await world.clock.advance(60_000)
      }
      if (minute % 9 === offset) await restarted.restart()
    }
    for (const world of [steady, restarted]) await world.clock.advance(10 * 60_000)
    expect(await outbox(restarted.vault)).toEqual(await outbox(steady.vault))
  })

  it('counts on from the last looks of before, where it cannot recall all of them', async () => {
    const world = await watch({
      queues: 1,
      vault: (vault) => ({
        ...vault,
        read: ((name: string, input: object) =>
          vault.read(
            name as 'listSources',
            (name.endsWith('Samples') ? { ...input, limit: 4 } : input) as never,
          )) as Vault['read'],
      }),
    })
    await world.clock.advance(10 * 60_000)
    let failed = 0
    world.measure = () => {
      failed++
      return away()
    }
    while (failed < 2) await world.clock.advance(500)
    expect(await open(world)).toEqual([])
    await world.restart()
    while (failed < 3) await world.clock.advance(500)
    expect(await open(world)).toContain('probe.failed firing')
  })

  it('would catch a control plane that forgets what it told', async () => {
    const world = await watch({ queues: 1, vault: forgetful })
    world.measure = holding(1)
    await world.clock.advance(120_000)
    await world.restart()
    await world.clock.advance(120_000)
    expect(await outbox(world.vault)).not.toEqual(['first: dlq.any firing'])
  })
})

/** A planted bug: the alerts are written, and what was told about them is not. */
function forgetful(vault: Vault): Vault {
  return {
    ...vault,
    read: (async (name: string, input: never) => {
      const found = await vault.read(name as 'savedAlerts', input)
      return name === 'savedAlerts' ? { ...(found as object), alerts: [], groups: [] } : found
    }) as Vault['read'],
  }
}

describe('people and alerts', () => {
  const by = { actor: 'ana' }

  async function firing(): Promise<{ world: Watched; fingerprint: string }> {
    const world = await watch({ queues: 1 })
    world.measure = holding(1)
    await world.clock.advance(120_000)
    const [alert] = await world.plane.alerts.list({ which: 'open', limit: 10 })
    return { world, fingerprint: alert?.fingerprint ?? '' }
  }

  it('acknowledge: no repeat while it lasts, and who and until when is seen', async () => {
    const { world, fingerprint } = await firing()
    const until = world.clock.now() + 10 * 3_600_000
    expect(await world.plane.alerts.acknowledge(fingerprint, { until, ...by })).toMatchObject({
      acknowledged: { by: 'ana', until },
    })
    await world.clock.advance(9 * 3_600_000)
    expect(await outbox(world.vault)).toEqual(['first: dlq.any firing'])
    await world.plane.alerts.unacknowledge(fingerprint, by)
    await world.clock.advance(10 * 60_000)
    expect(await outbox(world.vault)).toEqual(['first: dlq.any firing', 'repeat: dlq.any firing'])
  })

  it('snooze: nothing while it lasts, then once', async () => {
    const { world, fingerprint } = await firing()
    await world.plane.alerts.snooze(fingerprint, { until: world.clock.now() + 3_600_000, ...by })
    await world.clock.advance(70 * 60_000)
    expect(await outbox(world.vault)).toEqual(['first: dlq.any firing', 'silence-ended: dlq.any firing'])
  })

  it('silence: made by another process, it is heard of; ended early, what still fires is told', async () => {
    const { world } = await firing()
    const matchers = [{ name: 'source', is: '=' as const, value: 'shop' }]
    const endsAt = world.clock.now() + 3_600_000
    const silence = await world.plane.alerts.silence({ matchers, reason: 'move', endsAt, evenProtected: false, ...by })
    expect(silence).toMatchObject({ author: 'ana', endsAt, isActive: true })
    await world.clock.advance(20 * 60_000)
    expect(await open(world)).toEqual(['dlq.any firing silence'])
    await world.plane.alerts.endSilence(silence.id, by)
    await world.clock.advance(10_000)
    expect(await outbox(world.vault)).toEqual(['first: dlq.any firing', 'silence-ended: dlq.any firing'])
    expect(await world.plane.alerts.silences()).toEqual([])
  })

  it.each([
    ['without an end to come', { endsAt: 0 }, 'A silence needs an end that is still to come.'],
    [
      'for more than seven days',
      { span: 7 * 24 * 3_600_000 + 1 },
      'A silence lasts at most 7 days. Extend it when they are over.',
    ],
    ['without a reason', { reason: ' ' }, 'A silence needs a reason: whoever finds it in a month wants to know why.'],
    ['without a matcher', { matchers: [] }, 'A silence needs at least one matcher, such as queue=dlq.orders.'],
  ])('a silence %s is refused', async (_, wrong, message) => {
    const world = await watch({ queues: 0 })
    const { span = 1000, ...rest } = wrong as { span?: number }
    const silence = { matchers: [{ name: 'rule', is: '=' as const, value: 'x' }], reason: 'r', endsAt: world.clock.now() + span }
    await expect(world.plane.alerts.silence({ ...silence, evenProtected: false, ...by, ...rest })).rejects.toMatchObject({
      message,
    })
  })

  it('hears of every change as it happens', async () => {
    const world = await watch({ queues: 1 })
    const changes: Change[] = []
    world.plane.onChange((change) => changes.push(change))
    world.measure = holding(1)
    await world.clock.advance(120_000)
    world.measure = holding(0)
    await world.clock.advance(20 * 60_000)
    expect(changes.flatMap((change) => (change.kind === 'alert' ? [change.change] : []))).toEqual(['fired', 'resolved'])
  })

  it('try a rule on what was seen', async () => {
    const world = await watch({ queues: 1 })
    for (const count of [0, 60, 60, 60, 0, 0]) {
      world.measure = holding(count)
      await world.clock.advance(120_000)
    }
    const test = (changes: object) =>
      world.plane.alerts.testRule({ rule: 'dlq.count', changes, since: world.clock.now() - 3_600_000 })
    expect((await test({})).changes).toEqual([])
    expect((await test({ limit: 50 })).changes.map(({ change, subject }) => `${change} ${subject.queue}`)).toEqual([
      'fired dlq.0',
      'resolved dlq.0',
    ])
    expect((await test({ limit: 50, for: 3_600_000 })).changes).toEqual([])
  })
})
