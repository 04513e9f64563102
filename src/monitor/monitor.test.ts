import { afterEach, describe, expect, it, vi } from 'vitest'
import type { World } from '../../test/testing-world.ts'
import type { Alert } from '../core/alerts/monitor/alert.ts'
import { RedriveError } from '../core/errors.ts'
import type { Transport } from '../transports/seam.ts'
import type { Monitor, MonitorOptions } from './monitor.ts'

const hour = 3_600_000
const seedsSentence = '1 or more messages found in Dead-Letter Queue dead. Manual intervention required.'

interface Watching {
  readonly world: World
  readonly monitor: Monitor
  readonly alerts: Alert[]
  /** Whether probes work. */
  broker: 'up' | 'down' | 'silent'
  probes: number
}

/** A consumer whose handler fails at once, and a monitor in its process. Modules are loaded anew, so that a twin can replace one. */
async function watching(options: Partial<MonitorOptions> = {}): Promise<Watching> {
  const { createMonitor } = await import('./monitor.ts')
  const { testingWorld, provision } = await import('../../test/testing-world.ts')
  const world = testingWorld()
  await provision(world.broker)
  const consumer = await world.consume(
    () => {
      throw new Error('cannot use it')
    },
    { maxDeliveryCount: 1 },
  )
  const alerts: Alert[] = []
  const watching: Watching = {
    world,
    alerts,
    broker: 'up',
    probes: 0,
    monitor: createMonitor({
      transport: { ...world.broker, measure } as Transport,
      channels: ['dead'],
      component: 'RabbitMQ',
      consumer,
      logger: world.logger,
      platform: world.platform,
      notify: [
        {
          name: 'list',
          async send(alert) {
            alerts.push(alert)
            return { kind: 'sent' }
          },
        },
      ],
      ...options,
    }),
  }
  async function measure(address: { readonly name: string }): ReturnType<Transport['measure']> {
    watching.probes++
    if (watching.broker === 'down') throw new RedriveError('unreachable', 'the payload is secret-4711')
    return watching.broker === 'silent' ? new Promise(() => {}) : world.broker.measure(address)
  }
  await watching.monitor.start()
  await world.clock.settle()
  return watching
}

async function emptied({ world }: Watching): Promise<void> {
  for (const { position = '' } of (await world.broker.browse({ name: 'dead' }, { limit: 100 })).messages)
    await world.broker.remove({ name: 'dead' }, position)
}

const told = (alerts: readonly Alert[]): string[] => alerts.map(({ rule, status }) => `${rule} ${status}`)

describe('a monitor in the process of a consumer', () => {
  it('alerts at once when a message is dead-lettered, with its correlation id and the sentence of the seed', async () => {
    const { world, alerts } = await watching()
    await world.put('job', { correlationId: 'c-17' })
    expect(world.clock.monotonic()).toBe(0)
    expect(alerts).toMatchObject([
      {
        severity: 'CRITICAL',
        component: 'RabbitMQ',
        channel: 'dead',
        message: seedsSentence,
        count: 1,
        correlationIds: ['c-17'],
      },
    ])
    expect(world.logs.some(({ level, message }) => level === 'error' && message === seedsSentence)).toBe(true)
  })

  it('looks again in short intervals when the broker shows the letter only later', async () => {
    const own = await watching()
    const { world, alerts } = own
    const { measure } = world.broker
    world.broker.measure = async () => ({ retained: 0, pending: 0 })
    await world.put('job', { correlationId: 'c-17' })
    await world.clock.advance(100)
    world.broker.measure = measure
    expect(alerts).toEqual([])
    await world.clock.advance(500)
    expect(alerts).toMatchObject([{ correlationIds: ['c-17'] }])
  })

  it.each([
    [200, ['c-17']],
    [300, []],
  ])('that sees the letter %i ms before the consumer tells of it knows of the correlation ids %j', async (delay, ids) => {
    const { world, alerts, monitor } = await watching()
    world.broker.faults.on('settle.move.after-write', { delay })
    await world.put('job', { correlationId: 'c-17' })
    await monitor.probe()
    expect(alerts).toEqual([])
    await world.clock.advance(delay)
    expect(alerts).toMatchObject([{ correlationIds: ids }])
  })

  it('alerts about letters of others too, at the next probe and without a correlation id', async () => {
    const { world, alerts } = await watching({ every: '60s' })
    await world.broker.send({ name: 'dead' }, { body: null, headers: [] })
    await world.clock.advance(61_000)
    expect(alerts).toMatchObject([{ count: 1, correlationIds: [] }])
  })

  it('costs no probe for each letter of a flood', async () => {
    const own = await watching()
    await own.world.put('job')
    const { probes } = own
    for (let n = 0; n < 200; n++) await own.world.put('job')
    expect(own.probes - probes).toBeLessThanOrEqual(1)
  })

  it('keeps to its interval, 60 seconds by default', async () => {
    const own = await watching()
    await own.world.clock.advance(hour - 1)
    expect(own.probes).toBe(60)
  })

  it('resolves when the channel has been empty for five minutes, with the id of the alert', async () => {
    const own = await watching()
    await own.world.put('job')
    await emptied(own)
    await own.world.clock.advance(7 * 60_000)
    expect(told(own.alerts)).toEqual(['dlq.any firing', 'dlq.any resolved'])
    expect(own.alerts[1]).toMatchObject({ id: own.alerts[0]?.id, message: 'Dead-Letter Queue dead is empty again.' })
  })

  it('knows what each channel holds, and nothing when it cannot know', async () => {
    const own = await watching()
    await own.world.put('job')
    expect(own.monitor.status()).toEqual([{ channel: 'dead', letters: 1 }])
    own.broker = 'down'
    await own.monitor.probe()
    expect(own.monitor.status()).toEqual([{ channel: 'dead', letters: undefined }])
  })

  it('that stops sends what is on its way, hears no more, and leaves no timer', async () => {
    const own = await watching()
    const { world, monitor, alerts } = own
    await world.broker.send({ name: 'dead' }, { body: null, headers: [] })
    const probing = monitor.probe()
    await monitor.stop()
    await probing
    expect(told(alerts)).toEqual(['dlq.any firing'])
    await emptied(own)
    const { probes } = own
    await world.put('job')
    await world.clock.advance(hour)
    expect([own.probes, told(alerts)]).toEqual([probes, ['dlq.any firing']])
  })

  it('starts once', async () => {
    const { monitor } = await watching()
    await expect(monitor.start()).rejects.toMatchObject({ code: 'not-running' })
  })

  it('does not start with a notifier that cannot work', async () => {
    const { createMonitor } = await import('./monitor.ts')
    const { testingWorld } = await import('../../test/testing-world.ts')
    const missing = { name: 'x', prepare: () => Promise.reject(new RedriveError('missing-library', 'x')), send: () => never() }
    const monitor = createMonitor({ transport: testingWorld().broker, channels: ['dead'], notify: [missing], logger: false })
    await expect(monitor.start()).rejects.toMatchObject({ code: 'missing-library' })
  })
})

function never(): Promise<never> {
  return new Promise(() => {})
}

/** Letters in a channel that is then out of reach for an hour. */
async function outage(broker: 'down' | 'silent'): Promise<Watching> {
  const own = await watching()
  await own.world.put({ patient: 'secret-4711' }, { correlationId: 'c-17', headers: [['x-tenant', 'secret-4711']] })
  await own.world.clock.advance(10 * 60_000)
  own.broker = broker
  await own.world.clock.advance(hour)
  return own
}

/** What must hold of it. */
function expectOneAlertEach({ alerts }: Watching): void {
  expect(told(alerts)).toEqual(['dlq.any firing', 'probe.failed firing'])
}

function expectNoPayload({ alerts, world: { logs } }: Watching): void {
  expect(JSON.stringify([alerts, logs])).not.toContain('secret-4711')
}

describe('an outage', () => {
  afterEach(() => {
    for (const module of ['../core/alerts/monitor/alert-rule.ts', '../core/alerts/monitor/alert.ts', './probe.ts'])
      vi.doUnmock(module)
    vi.resetModules()
  })

  it.each(['down', 'silent'] as const)(
    'is one alert of its own, and never an empty channel, when the broker is %s',
    async (broker) => {
      const own = await outage(broker)
      expectOneAlertEach(own)
      expectNoPayload(own)
      expect(own.alerts[1]).toMatchObject({ severity: 'WARNING', message: expect.stringContaining('cannot be probed') })
      expect(own.alerts[1]).not.toHaveProperty('count')
    },
  )

  it('ends with one more, when the channel can be probed again', async () => {
    const own = await outage('down')
    own.broker = 'up'
    await own.world.clock.advance(61_000)
    expect(told(own.alerts)).toEqual(['dlq.any firing', 'probe.failed firing', 'probe.failed resolved'])
  })

  it('of two probes is none', async () => {
    const own = await watching()
    own.broker = 'down'
    await own.world.clock.advance(61_500)
    own.broker = 'up'
    await own.world.clock.advance(hour)
    expect(own.alerts).toEqual([])
  })

  it('would show a monitor that alerts at every probe', async () => {
    vi.resetModules()
    vi.doMock('../core/alerts/monitor/alert-rule.ts', async (original) => {
      const rule = await original<typeof import('../core/alerts/monitor/alert-rule.ts')>()
      const evaluate: typeof rule.evaluate = (before, sample, limits) => {
        const { state, transitions } = rule.evaluate(before, sample, limits)
        return { state, transitions: transitions.map((each) => (each.change === 'still' ? { ...each, change: 'raised' } : each)) }
      }
      return { ...rule, evaluate }
    })
    const own = await outage('down')
    expect(() => expectOneAlertEach(own)).toThrow()
  })

  it('would show a monitor that takes a failed probe for 0', async () => {
    vi.resetModules()
    vi.doMock('./probe.ts', async (original) => {
      const { probe } = await original<typeof import('./probe.ts')>()
      const asZero: typeof probe = async (...args) => {
        const { at, count = 0 } = await probe(...args)
        return { at, count }
      }
      return { probe: asZero }
    })
    const own = await outage('down')
    expect(() => expectOneAlertEach(own)).toThrow()
  })

  it('would show an alert that quotes the error of the probe', async () => {
    vi.resetModules()
    vi.doMock('./probe.ts', () => ({
      probe: async (transport: Transport, name: string) => {
        const measured = transport.measure({ name })
        return measured.then(
          ({ retained }) => ({ at: 0, count: retained }),
          (error) => ({ at: 0, failed: String(error) }),
        )
      },
    }))
    const own = await outage('down')
    expect(() => expectNoPayload(own)).toThrow()
  })
})

describe('notifiers', () => {
  it('are independent: one that fails is tried again and harms no other', async () => {
    const good: string[] = []
    let failures = 0
    const { world } = await watching({
      notify: [
        { name: 'bad', send: async () => (++failures > 2 ? { kind: 'sent' } : { kind: 'failed', why: 'away', retry: true }) },
        { name: 'hanging', send: () => never() },
        {
          name: 'good',
          async send({ rule }) {
            good.push(rule)
            return { kind: 'sent' }
          },
        },
      ],
    })
    await world.put('job')
    expect(good).toEqual(['dlq.any'])
    await world.clock.advance(10_000)
    expect([good, failures]).toEqual([['dlq.any'], 3])
    expect(world.logs.filter(({ message }) => message.startsWith('Failed to send an alert'))).toHaveLength(3)
  })

  it('get their alerts although the logger throws', async () => {
    const broken = (): never => {
      throw new Error('disk full')
    }
    const logger = { debug: broken, info: broken, warn: broken, error: broken, fatal: broken, child: broken }
    const { world, alerts } = await watching({ logger })
    await world.put('job')
    expect(told(alerts)).toEqual(['dlq.any firing'])
  })
})

describe('options', () => {
  it.each<[object, string]>([
    [{ channels: [] }, 'createMonitor: channels is empty'],
    [{ notify: [] }, 'createMonitor: notify is empty'],
    [{ notify: ['ops@example.com'] }, 'createMonitor: notify[0]'],
    [{ every: '1ms' }, 'createMonitor: every'],
    [{ transport: {} }, 'createMonitor: transport'],
    [{ consumer: {} }, 'createMonitor: consumer'],
    [{ chanels: ['dead'] }, 'Did you mean "channels"?'],
  ])('%j is refused', async (options, message) => {
    const { createMonitor } = await import('./monitor.ts')
    const { memory } = await import('../transports/memory/memory.ts')
    const notify = [{ name: 'x', send: never }]
    const given = { transport: memory(), channels: ['dead'], notify, ...options } as MonitorOptions
    expect(() => createMonitor(given)).toThrow(message)
  })
})
