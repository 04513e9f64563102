import type { ConnectionOptions as TlsOptions } from 'node:tls'
import type { Duration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'
import { aFunction, anObject, durationWithin, objectWith, secret, sizeWithin } from '../../core/option-checks.ts'
import { badOption, type Check, readOptions } from '../../core/options.ts'
import { type Clock, clockVerbs, type Random } from '../../core/ports.ts'
import type { Size } from '../../core/size.ts'
import { systemRandom } from '../../platform/chance.ts'
import { systemClock } from '../../platform/clock.ts'
import { defaultMaxBody } from './capabilities.ts'

export interface RedisOptions {
  /** Such as `redis://user:password@host:6379/0`, or `rediss://` for TLS. In a cluster any of its nodes. */
  readonly url: string
  /**
   * With what all keys begin. Text in braces keeps them on one node of a cluster, which `move` needs; empty for streams whose names are
   * given by others. Default: `{redrive}:`.
   */
  readonly prefix?: string
  /** The consumer group on each stream. Default: `redrive`. */
  readonly group?: string
  /** Node's TLS options, such as `ca`, `cert` and `key`. Default: those of Node where the url is `rediss://`. */
  readonly tls?: TlsOptions
  /** How long a call waits for a connection before it is `unreachable`. Default: 10 s. */
  readonly connectWithin?: Duration
  /** How long a call waits for an answer of the server before it is `unsure`. Default: 10 s. */
  readonly answerWithin?: Duration
  /** How often a waiting receiver looks although nobody told it to: other programs that add entries tell nobody. Default: 1 s. */
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
  readonly prefix: string
  readonly group: string
  readonly tls: TlsOptions | undefined
  readonly connectWithin: number
  readonly answerWithin: number
  readonly pollEvery: number
  readonly maxBody: number
  readonly clock: Clock
  readonly random: Random
}

const keys = [
  ...(['url', 'prefix', 'group', 'tls', 'connectWithin', 'answerWithin'] as const),
  ...(['pollEvery', 'maxBody', 'clock', 'random'] as const),
]

export function resolveOptions(options: RedisOptions): Settings {
  const given = readOptions(options, keys, 'redis')
  const seconds = durationWithin({ min: '100ms', max: '10m' })
  return {
    url: given.required('url', serverUrl),
    prefix: given.read('prefix', keyPrefix, '{redrive}:'),
    group: given.read('group', groupName, 'redrive'),
    tls: given.has('tls') ? given.required('tls', anObject<TlsOptions>) : undefined,
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
  if (protocol === 'redis:' || protocol === 'rediss:') return url
  // The value is not shown: it may hold a password.
  throw new RedriveError('bad-option', 'redis: url is not one that starts with redis:// or rediss:// and names a host.')
}

const keyPrefix: Check<string> = (value, where) => {
  if (typeof value === 'string' && value.length <= 100 && !/\s/.test(value)) return value
  throw badOption(where, value, 'at most 100 characters without spaces')
}

/** Names with a tilde are ours: under them the group keeps what nobody holds. */
const groupName: Check<string> = (value, where) => {
  if (typeof value === 'string' && /^[^\s~]{1,100}$/.test(value)) return value
  throw badOption(where, value, 'at most 100 characters without spaces and tildes')
}
