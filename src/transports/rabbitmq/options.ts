import type { ConnectionOptions as TlsOptions } from 'node:tls'
import type { Options } from 'amqplib'
import type { Duration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'
import { anObject, durationWithin, listOf, oneOf, secret, sizeWithin, text } from '../../core/option-checks.ts'
import { badOption, type Check, type OptionReader, readOptions } from '../../core/options.ts'
import type { Clock, Random } from '../../core/ports.ts'
import { systemRandom } from '../../platform/chance.ts'
import { systemClock } from '../../platform/clock.ts'

export type QueueType = 'quorum' | 'classic'

export interface RabbitmqOptions {
  /** Such as `amqp://user:password@host:5672/vhost`, or `amqps://…`. */
  readonly url?: string
  /** Several hosts of one cluster: tried in turn, each with its own credentials. */
  readonly urls?: readonly string[]
  /** Wins over the path of the url. */
  readonly vhost?: string
  /** Node's TLS options, such as `ca`, `cert` and `key`; only with `amqps`. */
  readonly tls?: TlsOptions
  /** A silent connection is given up after two of these. Default: 10 s. */
  readonly heartbeat?: Duration
  /** What queues are created as, and how deliveries are counted. Default: `quorum`. */
  readonly queueType?: QueueType
  /** The management API, which sees what AMQP does not: unacknowledged messages, policies and bindings. */
  readonly management?: ManagementOptions
  /** With what the names of delay queues and exchanges begin. Everybody on a vhost shares them. Default: `redrive`. */
  readonly prefix?: string
  /** How long a call waits for a connection, host after host, before it is `unreachable`. Default: 10 s. */
  readonly connectWithin?: Duration
  /** How long a call waits for an answer of the broker before it is `unsure`. Default: 10 s. */
  readonly answerWithin?: Duration
  /** The `consumer_timeout` of the broker, after which it takes a delivery away. Default: 30 min, as the broker's. */
  readonly consumerTimeout?: Duration
  /** The `max_message_size` of the broker. Default: 16 MiB, as that of RabbitMQ 4. */
  readonly maxBody?: number | string
  /** How many messages a browse may hold at a time. Default: 1,000. */
  readonly browseDepth?: number
  readonly clock?: Clock
  readonly random?: Random
}

export interface ManagementOptions {
  /** Such as `http://host:15672`. */
  readonly url: string
  readonly user: string
  readonly password: string
}

export interface Settings {
  readonly hosts: readonly Host[]
  readonly vhost: string
  readonly tls: TlsOptions
  readonly queueType: QueueType
  readonly management: ManagementOptions | undefined
  readonly prefix: string
  readonly connectWithin: number
  readonly answerWithin: number
  readonly consumerTimeout: number
  readonly maxBody: number
  readonly browseDepth: number
  readonly clock: Clock
  readonly random: Random
}

/** `name` is what errors show: never a password. */
export interface Host extends Options.Connect {
  readonly name: string
}

const keys = [
  ...(['url', 'urls', 'vhost', 'tls', 'heartbeat', 'queueType', 'management', 'prefix', 'connectWithin'] as const),
  ...(['answerWithin', 'consumerTimeout', 'maxBody', 'browseDepth', 'clock', 'random'] as const),
]
type Key = (typeof keys)[number]

export function resolveOptions(options: RabbitmqOptions): Settings {
  const given = readOptions(options, keys, 'rabbitmq')
  const seconds = durationWithin({ min: '100ms', max: '10m' })
  const hosts = hostsFrom(given)
  return {
    hosts,
    vhost: decodeURIComponent(hosts[0]?.vhost ?? '/'),
    tls: given.read('tls', anObject<TlsOptions>, {}),
    queueType: given.read('queueType', oneOf(['quorum', 'classic']), 'quorum'),
    management: given.has('management') ? managementFrom(given) : undefined,
    prefix: given.read('prefix', text(100), 'redrive'),
    connectWithin: given.read('connectWithin', seconds, 10_000),
    answerWithin: given.read('answerWithin', seconds, 10_000),
    consumerTimeout: given.read('consumerTimeout', durationWithin({ min: '1s', max: '365d' }), 1_800_000),
    maxBody: given.read('maxBody', sizeWithin({ min: '1KiB', max: '512MiB' }), 16 * 1024 * 1024),
    browseDepth: given.read('browseDepth', wholeBrowse, 1000),
    clock: given.read('clock', anObject<Clock>, systemClock),
    random: given.read('random', aFunction<Random>, systemRandom),
  }
}

function hostsFrom(given: OptionReader<Key>): readonly Host[] {
  const urls = given.has('urls') ? given.required('urls', listOf(text(2000), 100)) : [given.required('url', text(2000))]
  if (given.has('url') && given.has('urls')) throw new RedriveError('bad-option', 'rabbitmq: give url or urls, not both.')
  const heartbeat = Math.ceil(given.read('heartbeat', durationWithin({ min: '1s', max: '10m' }), 10_000) / 1000)
  const vhost = given.has('vhost') ? given.required('vhost', text(255)) : undefined
  return urls.map((url) => hostFrom(url, vhost, heartbeat))
}

function hostFrom(url: string, wantedVhost: string | undefined, heartbeat: number): Host {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  // The value is not shown: it may hold a password.
  if (parsed?.protocol !== 'amqp:' && parsed?.protocol !== 'amqps:')
    throw new RedriveError('bad-option', 'rabbitmq: url is not one that starts with amqp:// or amqps:// and names a host.')
  const protocol = parsed.protocol.slice(0, -1)
  const port = Number(parsed.port) || (protocol === 'amqps' ? 5671 : 5672)
  const path = parsed.pathname.slice(1)
  return {
    name: `${parsed.hostname}:${port}`,
    protocol,
    hostname: parsed.hostname.replace(/^\[|\]$/g, ''),
    port,
    username: decodeURIComponent(parsed.username) || 'guest',
    password: decodeURIComponent(parsed.password) || 'guest',
    // The library decodes it once more.
    vhost: encodeURIComponent(wantedVhost ?? (path === '' ? '/' : decodeURIComponent(path))),
    heartbeat,
  }
}

function managementFrom(given: OptionReader<Key>): ManagementOptions {
  const management = given.nested('management', ['url', 'user', 'password'])
  return {
    url: management.required('url', text(2000)).replace(/\/+$/, ''),
    user: management.required('user', text(255)),
    password: management.required('password', secret(2000)),
  }
}

function aFunction<T>(value: unknown, where: string): T {
  if (typeof value === 'function') return value as T
  throw badOption(where, value, 'a function')
}

const wholeBrowse: Check<number> = (value, where) => {
  if (Number.isSafeInteger(value) && Number(value) > 0) return Number(value)
  throw badOption(where, value, 'a whole number above 0')
}
