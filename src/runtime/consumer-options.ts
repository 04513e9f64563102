import type { Duration } from '../core/duration.ts'
import { durationWithin, objectWith, oneOf, text } from '../core/option-checks.ts'
import { type Check, readOptions } from '../core/options.ts'
import type { Transport } from '../transports/seam.ts'
import { jsonLogger, type Logger, silentLogger } from './logger.ts'
import { type Platform, systemPlatform } from './platform.ts'
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
  /** Clock, randomness, ids: for simulations and tests. */
  readonly platform?: Partial<Platform>
}

export interface ConsumerSettings {
  readonly transport: Transport
  readonly identity: ConsumerIdentity
  readonly logger: Logger
  readonly drain: number
  readonly provision: 'apply' | 'check'
  readonly platform: Platform
}

const keys = ['transport', 'service', 'version', 'environment', 'logger', 'drain', 'provision', 'platform'] as const

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
    platform,
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
