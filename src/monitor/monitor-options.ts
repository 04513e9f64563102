import type { Duration } from '../core/duration.ts'
import { RedriveError } from '../core/errors.ts'
import { durationWithin, listOf, objectWith, text } from '../core/option-checks.ts'
import { type Check, readOptions } from '../core/options.ts'
import { channelName } from '../runtime/channel-options.ts'
import type { Consumer } from '../runtime/consumer.ts'
import { aLogger } from '../runtime/consumer-options.ts'
import { jsonLogger, type Logger } from '../runtime/logger.ts'
import { type Platform, systemPlatform } from '../runtime/platform.ts'
import type { Transport } from '../transports/seam.ts'
import type { Notifier } from './notifier.ts'

export interface MonitorOptions {
  /** Where the dead-letter channels are. The monitor does not close it. */
  readonly transport: Transport
  /** The dead-letter channels to watch, invalid channels among them where you want to hear of those. */
  readonly channels: readonly string[]
  readonly notify: readonly Notifier[]
  /** What the alert names as the component. Default: the name of the transport. */
  readonly component?: string
  /** How often each channel is probed. Default: 60 s, as seed 000 says. */
  readonly every?: Duration
  /** How long one probe may take before it has failed. Default: 10 s. */
  readonly probeTimeout?: Duration
  /** How long one try to send an alert may take. Default: 10 s. */
  readonly sendTimeout?: Duration
  /** For how long a channel must have been empty until its alert is resolved. Default: 5 min. */
  readonly resolveAfter?: Duration
  /** A consumer of this process: its letters are seen at once, and their correlation ids are part of the alert. */
  readonly consumer?: Pick<Consumer, 'on'>
  /** Anything with pino's methods; `false` for silence. By default JSON lines go to standard error. */
  readonly logger?: Logger | false
  /** Clock, randomness, ids: for tests. */
  readonly platform?: Partial<Platform>
}

export interface MonitorSettings {
  readonly transport: Transport
  readonly channels: readonly string[]
  readonly notify: readonly Notifier[]
  readonly component: string
  readonly every: number
  readonly probeTimeout: number
  readonly sendTimeout: number
  readonly resolveAfter: number
  readonly consumer: Pick<Consumer, 'on'> | undefined
  readonly logger: Logger
  readonly platform: Platform
}

const keys = [
  ...(['transport', 'channels', 'notify', 'component', 'every', 'probeTimeout', 'sendTimeout', 'resolveAfter'] as const),
  ...(['consumer', 'logger', 'platform'] as const),
]

export function resolveMonitor(options: MonitorOptions): MonitorSettings {
  const given = readOptions(options, keys, 'createMonitor')
  const platform: Platform = { ...systemPlatform(), ...options.platform }
  const transport = given.required('transport', measurable)
  const timeout = durationWithin({ min: '100ms', max: '5m' })
  const component = given.read('component', text(200), transport.name)
  return {
    transport,
    channels: given.required('channels', some(channelName)),
    notify: given.required('notify', some(aNotifier)),
    component,
    every: given.read('every', durationWithin({ min: '100ms', max: '1d' }), 60_000),
    probeTimeout: given.read('probeTimeout', timeout, 10_000),
    sendTimeout: given.read('sendTimeout', timeout, 10_000),
    resolveAfter: given.read('resolveAfter', durationWithin({ min: '0ms', max: '1d' }), 300_000),
    consumer: given.has('consumer') ? given.required('consumer', aConsumer) : undefined,
    logger: given.read('logger', aLogger, jsonLogger(platform.writeLog, platform.clock.now, { component })),
    platform,
  }
}

const measurable = objectWith<Transport>(['measure'], 'a transport, such as rabbitmq({ url })')
const aNotifier = objectWith<Notifier>(['send'], 'a notifier, such as mail({ … }) or webhook({ … })')
const aConsumer = objectWith<Pick<Consumer, 'on'>>(['on'], 'a consumer, as createConsumer gives it')

/** A monitor that watches nothing, or tells nobody, would look like one that has nothing to tell. */
function some<T>(item: Check<T>): Check<readonly T[]> {
  return (value, where) => {
    const items = listOf(item, 1000)(value, where)
    if (items.length === 0) throw new RedriveError('bad-option', `${where} is empty; it must hold at least one.`)
    return items
  }
}
