import type { ConnectionOptions as TlsOptions } from 'node:tls'
import type { Duration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'
import { aFunction, anObject, durationWithin, objectWith, secret, sizeWithin, wholeNumber } from '../../core/option-checks.ts'
import { badOption, type Check, readOptions } from '../../core/options.ts'
import { type Clock, clockVerbs, type Random } from '../../core/ports.ts'
import type { Size } from '../../core/size.ts'
import { systemRandom } from '../../platform/chance.ts'
import { systemClock } from '../../platform/clock.ts'
import { defaultMaxBody } from './capabilities.ts'

export interface PostgresOptions {
  /** Such as `postgres://user:password@host:5432/database`. */
  readonly url: string
  /** The schema that holds the tables of the queue. Small letters, digits and underscores. Default: `redrive`. */
  readonly schema?: string
  /** Node's TLS options, such as `ca`, `cert` and `key`. Default: as `sslmode` in the url says. */
  readonly tls?: TlsOptions
  /** How many connections it has at most, beside the one that listens. Default: 4. */
  readonly connections?: number
  /** How long a call waits for a connection before it is `unreachable`. Default: 10 s. */
  readonly connectWithin?: Duration
  /** How long a call waits for an answer of the server before it is `unsure`. Default: 10 s. */
  readonly answerWithin?: Duration
  /** How often a waiting receiver looks although nobody told it to: a notification may get lost with its connection. Default: 1 s. */
  readonly pollEvery?: Duration
  /** Default: 16 MiB. */
  readonly maxBody?: Size
  /** Default: the real one. Leases and delays are times on the server's clock, whatever this one says. */
  readonly clock?: Clock
  readonly random?: Random
}

/** The same, complete and checked. Durations are milliseconds, sizes are bytes. */
export interface Settings {
  readonly url: string
  readonly schema: string
  readonly tls: TlsOptions | undefined
  readonly connections: number
  readonly connectWithin: number
  readonly answerWithin: number
  readonly pollEvery: number
  readonly maxBody: number
  readonly clock: Clock
  readonly random: Random
}

const keys = [
  ...(['url', 'schema', 'tls', 'connections', 'connectWithin', 'answerWithin'] as const),
  ...(['pollEvery', 'maxBody', 'clock', 'random'] as const),
]

export function resolveOptions(options: PostgresOptions): Settings {
  const given = readOptions(options, keys, 'postgres')
  const seconds = durationWithin({ min: '100ms', max: '10m' })
  return {
    url: given.required('url', serverUrl),
    schema: given.read('schema', schemaName, 'redrive'),
    tls: given.has('tls') ? given.required('tls', anObject<TlsOptions>) : undefined,
    connections: given.read('connections', wholeNumber({ min: 1, max: 100 }), 4),
    connectWithin: given.read('connectWithin', seconds, 10_000),
    answerWithin: given.read('answerWithin', seconds, 10_000),
    pollEvery: given.read('pollEvery', durationWithin({ min: '10ms', max: '10m' }), 1_000),
    maxBody: given.read('maxBody', sizeWithin({ min: '1B', max: '128MiB' }), defaultMaxBody),
    clock: given.read('clock', objectWith<Clock>(clockVerbs, 'a clock'), systemClock),
    random: given.read('random', aFunction<Random>, systemRandom),
  }
}

const serverUrl: Check<string> = (value, where) => {
  const url = secret(2000)(value, where)
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined
  if (protocol === 'postgres:' || protocol === 'postgresql:') return url
  // The value is not shown: it may hold a password.
  throw new RedriveError('bad-option', 'postgres: url is not one that starts with postgres:// and names a host.')
}

/** It stands in SQL and in the name of a notification, so it is nothing that would have to be quoted. */
const schemaName: Check<string> = (value, where) => {
  if (typeof value === 'string' && /^[a-z_][a-z0-9_]{0,39}$/.test(value) && !value.startsWith('pg_')) return value
  throw badOption(where, value, 'at most 40 small letters, digits and underscores, not starting with a digit or pg_')
}
