import type { ConnectionOptions as TlsOptions } from 'node:tls'
import type { Duration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'
import {
  aFunction,
  anObject,
  durationWithin,
  listOf,
  objectWith,
  oneOf,
  secret,
  sizeWithin,
  text,
  wholeNumber,
} from '../../core/option-checks.ts'
import { badOption, type Check, type OptionReader, readOptions } from '../../core/options.ts'
import { type Clock, clockVerbs } from '../../core/ports.ts'
import { systemClock } from '../../platform/clock.ts'
import { defaultMaxBody } from './capabilities.ts'

export interface KafkaOptions {
  /** One or more of `host:port`, as a list or separated by commas. */
  readonly bootstrapServers?: string | readonly string[]
  /** The same, as seed 003 writes it. */
  readonly bootstrap_servers?: string | readonly string[]
  /** The consumer group of every channel that names none. */
  readonly groupId?: string
  /** The same, as seed 003 writes it. */
  readonly group_id?: string
  /** Where dead letters go when a channel does not say. Default: `{group}.dlq`. */
  readonly deadLetterTopic?: string
  /** The same, as seed 003 writes it. */
  readonly dead_letter_topic?: string
  /** How this client calls itself in the logs of the brokers. Default: `redrive`. */
  readonly clientId?: string
  /** Node's TLS options, such as `ca`, `cert` and `key`; `{}` for TLS with the system's authorities. Default: no TLS. */
  readonly tls?: TlsOptions
  readonly sasl?: SaslOptions
  /** Where a group begins that has committed nothing. Default: `earliest`. */
  readonly startAt?: 'earliest' | 'latest'
  /** A member that is not heard of for so long loses its partitions. Default: 45 s. */
  readonly sessionTimeout?: Duration
  /** Default: 3 s. */
  readonly heartbeat?: Duration
  /** How long a call waits for an answer before it is `unsure`, or for a connection before it is `unreachable`. Default: 10 s. */
  readonly answerWithin?: Duration
  /** The largest body, headers not included. Default: 900 KiB, which fits into the default `max.message.bytes`. */
  readonly maxBody?: number | string
  /** With how many partitions `provision` creates topics. Default: what the broker is configured for. */
  readonly partitions?: number
  /** Default: what the broker is configured for. */
  readonly replicationFactor?: number
  /** Where a broker is reached that the cluster calls by another name: behind a tunnel or a proxy. */
  readonly resolveBroker?: (broker: BrokerAddress) => BrokerAddress
  readonly clock?: Clock
}

export interface SaslOptions {
  readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512' | 'OAUTHBEARER'
  readonly username?: string
  readonly password?: string
  /** Only with `OAUTHBEARER`. A function is asked for each connection. */
  readonly token?: string | (() => string | Promise<string>)
}

export interface BrokerAddress {
  readonly host: string
  readonly port: number
}

export interface Settings {
  readonly bootstrap: readonly BrokerAddress[]
  readonly groupId: string | undefined
  readonly deadLetterTopic: string | undefined
  readonly clientId: string
  readonly tls: TlsOptions | undefined
  readonly sasl: SaslOptions | undefined
  readonly startAt: 'earliest' | 'latest'
  readonly sessionTimeout: number
  readonly heartbeat: number
  readonly answerWithin: number
  readonly maxBody: number
  /** -1: as the broker is configured. */
  readonly partitions: number
  readonly replicationFactor: number
  readonly resolveBroker: (broker: BrokerAddress) => BrokerAddress
  readonly clock: Clock
}

const keys = [
  ...(['bootstrapServers', 'bootstrap_servers', 'groupId', 'group_id', 'deadLetterTopic', 'dead_letter_topic'] as const),
  ...(['clientId', 'tls', 'sasl', 'startAt', 'sessionTimeout', 'heartbeat', 'answerWithin', 'maxBody'] as const),
  ...(['partitions', 'replicationFactor', 'resolveBroker', 'clock'] as const),
]
type Key = (typeof keys)[number]

const brokersDefault = -1

export function resolveOptions(options: KafkaOptions): Settings {
  const given = readOptions(options, keys, 'kafka')
  const settings: Settings = {
    bootstrap: bootstrapFrom(given),
    groupId: either(given, 'groupId', 'group_id', topicPart),
    deadLetterTopic: either(given, 'deadLetterTopic', 'dead_letter_topic', topicName),
    clientId: given.read('clientId', text(200), 'redrive'),
    tls: given.has('tls') ? given.required('tls', anObject<TlsOptions>) : undefined,
    sasl: given.has('sasl') ? saslFrom(given) : undefined,
    startAt: given.read('startAt', oneOf(['earliest', 'latest']), 'earliest'),
    sessionTimeout: given.read('sessionTimeout', durationWithin({ min: '1s', max: '30m' }), 45_000),
    heartbeat: given.read('heartbeat', durationWithin({ min: '50ms', max: '10m' }), 3000),
    answerWithin: given.read('answerWithin', durationWithin({ min: '100ms', max: '10m' }), 10_000),
    maxBody: given.read('maxBody', sizeWithin({ min: '1KiB', max: '512MiB' }), defaultMaxBody),
    partitions: given.read('partitions', wholeNumber({ min: 1, max: 10_000 }), brokersDefault),
    replicationFactor: given.read('replicationFactor', wholeNumber({ min: 1, max: 100 }), brokersDefault),
    resolveBroker: given.read('resolveBroker', aFunction<Settings['resolveBroker']>, (broker) => broker),
    clock: given.read('clock', objectWith<Clock>(clockVerbs, 'a clock'), systemClock),
  }
  if (settings.heartbeat * 2 > settings.sessionTimeout)
    throw badOption('kafka: heartbeat', options.heartbeat, 'at most half of sessionTimeout')
  return settings
}

function either<T>(given: OptionReader<Key>, name: Key, ofTheSeed: Key, check: Check<T>): T | undefined {
  if (given.has(name) && given.has(ofTheSeed))
    throw new RedriveError('bad-option', `kafka: give ${name} or ${ofTheSeed}, not both.`)
  const used = given.has(ofTheSeed) ? ofTheSeed : name
  return given.has(used) ? given.required(used, check) : undefined
}

function bootstrapFrom(given: OptionReader<Key>): readonly BrokerAddress[] {
  const brokers = either(given, 'bootstrapServers', 'bootstrap_servers', aBrokerList)
  if (brokers) return brokers
  throw new RedriveError('bad-option', 'kafka: bootstrapServers is missing; it must be given, such as "localhost:9092".')
}

const aBrokerList: Check<readonly BrokerAddress[]> = (value, where) => {
  const names = typeof value === 'string' ? value.split(',') : listOf(text(300), 100)(value, where)
  return names.map((name) => brokerFrom(name.trim(), where))
}

function brokerFrom(name: string, where: string): BrokerAddress {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(name) ?? []
  if (host === '' || Number(port) > 65_535) throw badOption(where, name, 'host:port, such as "localhost:9092"')
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

const mechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'] as const

function saslFrom(given: OptionReader<Key>): SaslOptions {
  const sasl = given.nested('sasl', ['mechanism', 'username', 'password', 'token'])
  const mechanism = sasl.required('mechanism', oneOf(mechanisms))
  if (mechanism === 'OAUTHBEARER') return { mechanism, token: sasl.required('token', aToken) }
  return { mechanism, username: sasl.required('username', text(1000)), password: sasl.required('password', secret(10_000)) }
}

const aToken: Check<string | (() => string | Promise<string>)> = (value, where) =>
  typeof value === 'function' ? (value as () => string) : secret(100_000)(value, where)

/** A group becomes part of the names of its topics. */
const topicPart: Check<string> = (value, where) => legal(text(200)(value, where), where)
const topicName: Check<string> = (value, where) => legal(text(249)(value, where), where)

function legal(name: string, where: string): string {
  if (/^[\w.-]+$/.test(name)) return name
  throw badOption(where, name, 'letters, digits, dots, dashes and underscores')
}
