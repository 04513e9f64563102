import type { Transition } from '../../core/alerts/alert-book.ts'
import type { GroupTimers } from '../../core/alerts/grouping.ts'
import type { MaintenanceWindow } from '../../core/alerts/maintenance-window.ts'
import type { RaisedAlert } from '../../core/alerts/raised-alert.ts'
import type { Rule, RuleType } from '../../core/alerts/rule.ts'
import type { Sink } from '../../core/alerts/sink.ts'
import { createChore } from '../../core/chore.ts'
import type { Clock, Random } from '../../core/ports.ts'
import type { Vault } from '../../vault/vault.ts'
import type { ConsumerStatus } from '../control-plane.ts'
import { pauseUnlessStopped } from '../keep-trying.ts'
import type { TransportNamed } from '../replay/send-letter.ts'
import { queueOf } from '../source.ts'
import type { ConfiguredSource, UnknownSince } from '../sources.ts'
import { type AlertEngine, startAlertEngine } from './alert-engine.ts'
import { sampleConsumers } from './consumer-samples.ts'
import { createLetterNews } from './letter-news.ts'
import { originsOf, watchOrigins } from './origins.ts'
import { createProber } from './prober.ts'
import { sampleReplays, sampleSelf, sampleSinks } from './regular-samplers.ts'
import type { Sampler } from './report.ts'
import { createSourceFacts } from './source-facts.ts'
import { sampleSettings } from './unsafe-settings.ts'

/** What a control plane that alerts is told. */
export interface AlertingSetup {
  readonly rules: readonly Rule[]
  /** Whom to tell. Without any, alerts are only seen by who looks. */
  readonly sinks: readonly Sink[]
  readonly windows: readonly MaintenanceWindow[]
  readonly timers?: GroupTimers
  /** Which of several control planes this is. */
  readonly instance: string
  /** The address that people reach this control plane at. */
  readonly dashboard?: string
  readonly random: Random
  /** Something waits to be sent. */
  readonly onSaid?: () => void
}

export interface RunningAlerting {
  readonly engine: AlertEngine
  /** Letters of this source were kept just now. */
  lettersCame(source: ConfiguredSource): void
  readonly unknownSince: UnknownSince
  stop(): Promise<void>
}

export interface StartAlertingOptions extends AlertingSetup {
  readonly vault: Vault
  readonly clock: Clock
  /** The share of the vault's disk that is free, from 0 to 1. */
  readonly diskFree?: () => Promise<number>
  readonly sources: readonly ConfiguredSource[]
  readonly transportNamed: TransportNamed
  readonly consumers: () => Promise<readonly ConsumerStatus[]>
  readonly onChange: (transition: Transition) => void
  readonly onProblem: (source: string, error: unknown) => void
}

const regularlyEvery = 30_000
/** As often as they report. */
const consumersEvery = 5000
/** People change settings, and brokers do not: what is found stays until somebody mends it. */
const settingsEvery = 600_000
const forgetEvery = 3_600_000
const samplesKept = 7 * 24 * 3_600_000
const deliveriesKept = 30 * 24 * 3_600_000

/** Rules whose alerts end with what they are about: nobody looks at it any more. */
const ofSources: ReadonlySet<RuleType> = new Set<RuleType>([
  'dlq.any',
  'dlq.count',
  'dlq.growth',
  'dlq.oldest.age',
  'probe.failed',
  'broker.down',
  'probe.unsafe',
  'conservation.broken',
  'time.to.loss',
  'source.lag',
  'consumer.none',
])

export async function startAlerting(options: StartAlertingOptions): Promise<RunningAlerting> {
  const { vault, clock, sources, random, onProblem } = options
  const origins = originsOf(sources, options.transportNamed)
  const onFailure = (error: unknown): void => onProblem('alerts', error)
  const engine = await startAlertEngine({
    ...options,
    componentOf: (source) => componentName(sources.find(({ connection }) => connection === source)?.transport.name ?? source),
    isGone: (alert) => ofSources.has(alert.type) && !isWatched(alert, [...sources, ...origins]),
    onSaid: options.onSaid ?? (() => {}),
    onProblem: onFailure,
  })
  const news = createLetterNews(vault, clock, engine)
  const looking = { clock, random, report: engine.report, onProblem: onFailure }
  const prober = createProber({ ...looking, sources, inVault: createSourceFacts(vault, clock, news) })
  const originProber = watchOrigins(origins, looking)
  const samplers = [
    sampleSelf(options.diskFree),
    sampleReplays(vault, clock, engine),
    sampleSinks(vault, clock, engine, options.sinks),
    news.causes,
  ]
  const stopping = new AbortController()
  const sampling = [
    sampleEvery(regularlyEvery, samplers, stopping.signal, options, engine),
    sampleEvery(consumersEvery, [sampleConsumers(options.consumers, engine, vault)], stopping.signal, options, engine),
    sampleEvery(settingsEvery, [sampleSettings(sources, stopping.signal)], stopping.signal, options, engine),
  ]
  const forgetting = createChore({
    clock,
    every: forgetEvery,
    async work() {
      await vault.write('forgetSamples', { before: engine.now() - samplesKept })
      await vault.write('forgetDeliveries', { before: clock.now() - deliveriesKept })
    },
    onFailure,
  })

  forgetting.start()
  prober.start()
  originProber.start()
  return {
    engine,
    lettersCame: prober.lookNow,
    unknownSince: prober.unknownSince,
    async stop() {
      stopping.abort()
      await Promise.all([prober.stop(), originProber.stop()])
      await Promise.all([...sampling, forgetting.stop()])
      await engine.stop()
    },
  }
}

/** As people write them. */
const components: Readonly<Record<string, string>> = {
  embedded: 'Embedded queue',
  kafka: 'Kafka',
  postgres: 'PostgreSQL',
  rabbitmq: 'RabbitMQ',
  redis: 'Redis',
  servicebus: 'Azure Service Bus',
  sqs: 'Amazon SQS',
}

function componentName(transport: string): string {
  return components[transport] ?? transport
}

function isWatched({ subject }: RaisedAlert, sources: readonly ConfiguredSource[]): boolean {
  return sources.some(
    ({ connection, address }) =>
      connection === subject.source &&
      (subject.queue === undefined || (queueOf(address) === subject.queue && address.group === subject.consumerGroup)),
  )
}

/** One sampler that cannot look says nothing; the others do. */
async function sampleEvery(
  every: number,
  samplers: readonly Sampler[],
  stop: AbortSignal,
  { clock, onProblem }: StartAlertingOptions,
  engine: AlertEngine,
): Promise<void> {
  while (!stop.aborted) {
    for (const sample of samplers) {
      await sample().then(engine.report, (error) => onProblem('alerts', error))
    }
    await pauseUnlessStopped(every, stop, clock)
  }
}
