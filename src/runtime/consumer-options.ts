import type { Duration } from '../core/duration.ts'
import { durationWithin, oneOf, text } from '../core/option-checks.ts'
import { badOption, type Check, readOptions } from '../core/options.ts'
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

export const aTransport: Check<Transport> = (value, where) => {
  const candidate = value as Partial<Transport> | null
  if (typeof candidate?.receive === 'function' && typeof candidate.settle === 'function') return candidate as Transport
  throw badOption(where, value, 'a transport, such as embedded({ file: "queue.db" })')
}

const aLogger: Check<Logger> = (value, where) => {
  if (value === false) return silentLogger
  const candidate = value as Partial<Logger> | null
  if (typeof candidate?.info === 'function' && typeof candidate.child === 'function') return candidate as Logger
  throw badOption(where, value, 'a logger with pino’s methods, or false')
}
