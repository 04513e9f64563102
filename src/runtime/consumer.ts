import type { ChannelReport } from '../core/consumer-report.ts'
import type { Graves } from '../core/decision.ts'
import { RedriveError } from '../core/errors.ts'
import { messagingSystem } from '../core/metrics/messaging-system.ts'
import type { MetricFamily } from '../core/metrics/metric-family.ts'
import { maxRuns } from '../core/policy.ts'
import type { LoopWatch, LoopWatchOptions } from '../core/ports.ts'
import { errorTypeOf } from '../core/thrown.ts'
import { createBreaker } from './breaker.ts'
import { type ChannelBuilder, type ChannelDeclaration, createRoutes, declareChannel, type Routes } from './channel.ts'
import { type ChannelOptions, type ChannelSettings, resolveChannel } from './channel-options.ts'
import { createFetchBody } from './claim-check.ts'
import { type ConsumerOptions, resolveConsumer } from './consumer-options.ts'
import { type ConsumerEvents, createEvents, type EventName } from './events.ts'
import { silentLogger } from './logger.ts'
import { logEvents } from './logs.ts'
import { collectMetrics } from './metrics.ts'
import { keepsOrder, keepsOrderEverywhere } from './order.ts'
import { createPump, type Pump } from './pump.ts'
import { channelReport } from './reporting/channel-report.ts'
import { createNews } from './reporting/news.ts'
import { createReporter, type ReportHost } from './reporting/reporter.ts'
import type { Middleware } from './routes.ts'
import type { ChannelScope } from './scope.ts'
import { createSolo } from './solo.ts'
import { openSpool, type Spool } from './spool/spool.ts'
import { type ChannelStats, createStats } from './stats.ts'
import { refuseUnsafe, topologyFor } from './topology.ts'
import { findTracing } from './tracing.ts'

/** Goes idle → starting → running → stopping → stopped, each once. */
export interface Consumer extends AsyncDisposable {
  /** Declares a channel. Only before `start`. */
  channel(name: string, options: ChannelOptions): ChannelBuilder
  /** Wraps every handler; the first one added is the outermost. Only before `start`. */
  use(middleware: Middleware): Consumer
  /** Listens to what happens to messages; the result stops listening. */
  on<N extends EventName>(name: N, listener: (event: ConsumerEvents[N]) => void): () => void
  /** Checks the topology, then consumes. Refuses to start where a failing message would have nowhere to go. */
  start(): Promise<void>
  /** Takes no more from this channel; what is in hand is finished. */
  pause(channel: string): void
  resume(channel: string): void
  /** How each channel is doing right now. */
  channels(): readonly ChannelState[]
  /** What was counted so far, by the names in the docs. */
  metrics(): readonly MetricFamily[]
  /** Drains: what is running may finish within the limit, the rest is released uncounted. Calling it again waits for the same stop. */
  stop(): Promise<void>
}

export interface ChannelState {
  readonly name: string
  /** `held-up`: as many messages as may be wait for the dead-letter channel. `outage`: the breaker is open. */
  readonly state: 'stopped' | 'consuming' | 'paused' | 'held-up' | 'outage'
  /** Messages that wait for the dead-letter channel, or for the end of an outage. */
  readonly held: number
  readonly parked: number
  /** Letters that wait in the spool. */
  readonly spooled: number
}

interface RunningChannel {
  readonly pump: Pump
  readonly spool: Spool | undefined
  readonly routes: Routes
  readonly endLoopSpan: () => void
}

export function createConsumer(options: ConsumerOptions): Consumer {
  const settings = resolveConsumer(options)
  const { transport, platform, logger } = settings
  const events = createEvents((name, error) => logger.error({ event: name, errorType: errorTypeOf(error) }, 'A listener threw'))
  const declarations = new Map<string, ChannelDeclaration>()
  const channelStats = new Map<string, ChannelStats>()
  const middleware: Middleware[] = []
  const running = new Map<string, RunningChannel>()
  const solo = createSolo(() => {
    for (const { pump } of running.values()) pump.proceed()
  })
  const fetchBody = createFetchBody(settings.claimCheck)
  let state: 'idle' | 'starting' | 'running' | 'stopping' | 'stopped' = 'idle'
  let started: Promise<void> | undefined
  let stopped: Promise<void> | undefined
  let watch: LoopWatch | undefined
  const reporter = settings.controlPlane && createReporter(settings.controlPlane, reportHost(), createNews())
  // Nobody listens where nobody reads: then what nobody hears need not be put into words.
  if (logger !== silentLogger) logEvents(events, logger)

  const consumer: Consumer = {
    channel(name, channelOptions) {
      assertIdle('channel')
      if (declarations.has(name)) throw new RedriveError('bad-option', `channel ${JSON.stringify(name)} is declared already`)
      const custom = transport.deadLetterFor?.(channelOptions?.group, name)
      const declaration = declareChannel(
        resolveChannel(name, channelOptions, { deadLetter: custom, brokersOwn: transport.brokersOwn }),
        () => assertIdle('on'),
      )
      declarations.set(name, declaration)
      return declaration.builder
    },
    use(added) {
      assertIdle('use')
      middleware.push(added)
      return consumer
    },
    on: events.on,
    start() {
      const starting = start()
      started ??= starting
      return starting
    },
    pause: (name) => runningChannel(name).pump.pause(),
    resume: (name) => runningChannel(name).pump.resume(),
    channels: () => [...declarations.keys()].map(stateOf),
    metrics: () => collectMetrics(channelStats, messagingSystem(transport.name)),
    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => consumer.stop(),
  }
  return consumer

  async function start(): Promise<void> {
    assertIdle('start')
    state = 'starting'
    try {
      await checkTopology()
      watch = startWatch()
      await startAll()
    } catch (error) {
      await stopAll(0)
      state = 'stopped'
      throw error
    }
    state = 'running'
    events.emit('started', { channels: [...declarations.keys()] })
    reporter?.start()
  }

  function startWatch(): LoopWatch | undefined {
    if (!settings.watchdog) return undefined
    const freed: LoopWatchOptions['freed'] = (blockedMs, blamed) => events.emit('blocked', { ...blamed, blockedMs })
    const line = { service: settings.identity.service, msg: 'The event loop is blocked' }
    const lineFields = logger === silentLogger ? undefined : line
    return platform.watchLoop({ ...settings.watchdog, lineFields, freed })
  }

  /** Waits for all of them even when one fails, so that none is still opening when the rest are closed. */
  async function startAll(): Promise<void> {
    const results = await Promise.allSettled([...declarations.values()].map(startChannel))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  async function checkTopology(): Promise<void> {
    if (declarations.size === 0) throw new RedriveError('bad-option', 'the consumer has no channel; declare one before start')
    for (const { settings: declared, handlers } of declarations.values()) if (handlers.size === 0) throw noHandler(declared.name)
    const wanted = topologyFor([...declarations.values()], transport)
    const findings = await transport.provision(wanted, settings.provision)
    for (const finding of findings) if (finding.severity === 'warning') logger.warn(finding, finding.message)
    refuseUnsafe(findings)
  }

  async function startChannel(declaration: ChannelDeclaration): Promise<void> {
    const { name } = declaration.settings
    const tracing = findTracing()
    const stats = createStats()
    channelStats.set(name, stats)
    const bare = {
      settings: declaration.settings,
      transport,
      platform,
      events,
      stats,
      logger,
      tracing,
      graves: gravesOf(declaration.settings),
      inOrder: keepsOrderEverywhere(declaration, transport),
      consumer: settings.identity,
      fetchBody,
      reporter,
      watch,
      breaker: declaration.settings.breaker && createBreaker(declaration.settings.breaker),
    }
    const spool = declaration.settings.spool && (await openSpool(bare, declaration.settings.spool))
    const scope: ChannelScope = { ...bare, spool }
    const routes = createRoutes(declaration, scope, middleware)
    const pump = createPump(scope, routes, keepsOrder(declaration, transport), solo)
    const span = tracing?.consuming(name)
    running.set(name, { pump, spool, routes, endLoopSpan: () => span?.end() })
    tellRuns(declaration)
    await pump.start()
  }

  function tellRuns({ settings: { name }, handlers }: ChannelDeclaration): void {
    for (const [type, { policy }] of handlers) {
      logger.info({ channel: name, type, handlerRuns: maxRuns(policy) }, `At most ${maxRuns(policy)} handler runs per message`)
    }
  }

  /** A start that is under way is waited for; whoever called it hears of its failure. */
  async function stop(): Promise<void> {
    await started?.catch(() => {})
    if (state === 'running') {
      state = 'stopping'
      events.emit('stopped', { released: await stopAll(settings.drain) })
      await reporter?.stop()
    }
    state = 'stopped'
  }

  async function stopAll(drain: number): Promise<number> {
    const deadline = platform.clock.monotonic() + drain
    const released = await Promise.all([...running.values()].map(({ pump }) => pump.stop(drain)))
    const left = Math.max(0, deadline - platform.clock.monotonic())
    await Promise.all([...running.values()].map(({ spool }) => spool?.close(left)))
    for (const { routes, endLoopSpan } of running.values()) {
      routes.close()
      endLoopSpan()
    }
    running.clear()
    watch?.stop()
    return released.reduce((sum, count) => sum + count, 0)
  }

  function stateOf(name: string): ChannelState {
    const { held = 0, parked = 0, spoolDepth = 0 } = channelStats.get(name) ?? {}
    return { name, state: running.get(name)?.pump.state ?? 'stopped', held, parked, spooled: spoolDepth }
  }

  function reportHost(): ReportHost {
    return {
      ...{ identity: settings.identity, platform, logger, events },
      channels: () => [...channelStats].flatMap(([name, stats]) => reportOf(name, stats)),
      has: (name) => running.has(name),
      pause: (name) => consumer.pause(name),
      resume: (name) => consumer.resume(name),
    }
  }

  function reportOf(name: string, stats: ChannelStats): ChannelReport[] {
    const declared = declarations.get(name)
    return declared ? [channelReport(declared.settings, stateOf(name).state, stats)] : []
  }

  function assertIdle(what: string): void {
    if (state !== 'idle') throw new RedriveError('not-running', `${what} is not possible any more: the consumer is ${state}`)
  }

  function runningChannel(name: string): RunningChannel {
    const found = running.get(name)
    if (!found) throw new RedriveError('unknown-channel', `this consumer has no running channel ${JSON.stringify(name)}`)
    return found
  }
}

function gravesOf({ deadLetter, invalid }: ChannelSettings): Graves {
  return { deadLetter: deadLetter !== undefined, invalid: invalid !== undefined }
}

function noHandler(channel: string): RedriveError {
  return new RedriveError(
    'bad-option',
    `channel ${JSON.stringify(channel)} has no handler; add one with .on(…) or .onBatch(…) before start`,
  )
}
