import type { Duration } from '../core/duration.ts'
import { durationWithin, objectWith, oneOf, text } from '../core/option-checks.ts'
import { type Check, readInnerOptions, readOptions } from '../core/options.ts'
import type { LoopWatchOptions } from '../core/ports.ts'
import type { Transport } from '../transports/seam.ts'
import { type CheckOut, type CheckOutOptions, resolveCheckOut } from './claim-check.ts'
import { jsonLogger, type Logger, silentLogger } from './logger.ts'
import { type Platform, systemPlatform } from './platform.ts'
import { type ControlPlaneOptions, type ControlPlaneSettings, resolveControlPlane } from './reporting/control-plane-options.ts'
import type { ConsumerIdentity } from './scope.ts'

export interface ConsumerOptions {
  readonly transport: Transport
  /** Who consumes: shown on every letter and in every log line. */
  readonly service: string
  /** The version of your service; a cause can be "fixed in" it. */
  readonly version?: string
  readonly environment?: string
  /** Anything with pino's methods; `false` for silence. By default JSON lines go to standard error. */
  readonly logger?: Logger | false
  /** How long `stop` lets running handlers finish. */
  readonly drain?: Duration
  /** Whether `start` creates channels that are missing (`apply`) or only refuses to start without them (`check`). */
  readonly provision?: 'apply' | 'check'
  /** Watches from a thread of its own for handlers that block the event loop. It costs some memory, so it has to be asked for. */
  readonly watchdog?: WatchdogOptions | false
  /** Where the bodies stand that producers did not send along. */
  readonly claimCheck?: CheckOutOptions
  /** Who is told how this consumer is doing, and may pause its channels. Nobody by default. */
  readonly controlPlane?: ControlPlaneOptions
  /** Clock, randomness, ids: for simulations and tests. */
  readonly platform?: Partial<Platform>
}

export interface WatchdogOptions {
  /** For how long the event loop may not turn. */
  readonly blockedAfter?: Duration
  /** `exit` kills the process, so that the broker delivers its messages to others. */
  readonly onBlocked?: 'warn' | 'exit'
}

export type WatchdogSettings = Pick<LoopWatchOptions, 'blockedAfter' | 'onBlocked'>

export interface ConsumerSettings {
  readonly transport: Transport
  readonly identity: ConsumerIdentity
  readonly logger: Logger
  readonly drain: number
  readonly provision: 'apply' | 'check'
  /** `undefined` for none. */
  readonly watchdog: WatchdogSettings | undefined
  /** `undefined` for none. */
  readonly claimCheck: CheckOut | undefined
  /** `undefined` for none. */
  readonly controlPlane: ControlPlaneSettings | undefined
  readonly platform: Platform
}

const keys = [
  'transport',
  'service',
  'version',
  'environment',
  'logger',
  'drain',
  'provision',
  'watchdog',
  'claimCheck',
  'controlPlane',
  'platform',
] as const

export function resolveConsumer(options: ConsumerOptions): ConsumerSettings {
  const given = readOptions(options, keys, 'createConsumer')
  const platform: Platform = { ...systemPlatform(), ...options.platform }
  const identity: ConsumerIdentity = {
    service: given.required('service', text(200)),
    version: given.has('version') ? given.required('version', text(200)) : undefined,
    environment: given.read('environment', text(200), 'dev'),
  }
  return {
    transport: given.required('transport', aTransport),
    identity,
    logger: given.read('logger', aLogger, jsonLogger(platform.writeLog, platform.clock.now, { service: identity.service })),
    drain: given.read('drain', durationWithin({ min: '0ms', max: '1h' }), 25_000),
    provision: given.read('provision', oneOf(['apply', 'check']), 'apply'),
    watchdog: hasOwnTime(options) ? undefined : given.read('watchdog', aWatchdog, undefined),
    claimCheck: given.read('claimCheck', resolveCheckOut, undefined),
    controlPlane: given.read('controlPlane', resolveControlPlane, undefined),
    platform,
  }
}

/** Where time is a test's own, how long the real loop stands still says nothing. */
function hasOwnTime({ platform }: ConsumerOptions): boolean {
  return platform?.clock !== undefined && platform.watchLoop === undefined
}

/** Well below half of the default `hold`, after which locks run out because nobody renews them. */
const defaultBlockedAfter = 10_000

function aWatchdog(value: unknown, where: string): WatchdogSettings | undefined {
  if (value === false) return undefined
  const given = readInnerOptions(value, ['blockedAfter', 'onBlocked'], where)
  return {
    blockedAfter: given.read('blockedAfter', durationWithin({ min: '100ms', max: '1h' }), defaultBlockedAfter),
    onBlocked: given.read('onBlocked', oneOf(['warn', 'exit']), 'warn'),
  }
}

export const aTransport: Check<Transport> = objectWith<Transport>(
  ['receive', 'settle'],
  'a transport, such as embedded({ file: "queue.db" })',
)

/** All of them: a logger without `fatal` would fail at the one moment when somebody must hear it. */
const logVerbs = ['debug', 'info', 'warn', 'error', 'fatal', 'child'] as const
const pinoLike = objectWith<Logger>(logVerbs, `a logger with pino’s methods (${logVerbs.join(', ')}), or false`)
export const aLogger: Check<Logger> = (value, where) => (value === false ? silentLogger : pinoLike(value, where))
