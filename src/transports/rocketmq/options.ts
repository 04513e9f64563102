import type { ConnectionOptions as TlsOptions } from 'node:tls'
import type { Duration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'
import {
  aFunction,
  anObject,
  durationWithin,
  objectWith,
  oneOf,
  secret,
  sizeWithin,
  wholeNumber,
} from '../../core/option-checks.ts'
import { badOption, type Check, readOptions } from '../../core/options.ts'
import { type Clock, clockVerbs, type NewId } from '../../core/ports.ts'
import type { Size } from '../../core/size.ts'
import { newUuid } from '../../platform/chance.ts'
import { systemClock } from '../../platform/clock.ts'
import { defaultMaxBody, type TopicKind, topicKinds } from './capabilities.ts'
import type { Credentials } from './signature.ts'

export interface RocketmqOptions {
  /**
   * The gRPC proxy, and the name servers behind it: such as `rocketmq://proxy:8081?nameServer=one:9876,two:9876`. Messages go through the
   * proxy; topics, groups, counts and browsing are asked of the brokers that the name servers know. An access key and its secret stand before
   * the host, `rocketmq://key:secret@proxy:8081?…`, where servers want to know who asks (ACL). `rocketmqs://` for TLS.
   */
  readonly url: string
  /** For TLS to proxy, name servers and brokers alike: what authorities are trusted, which certificate is shown. */
  readonly tls?: TlsOptions
  /** The consumer group of every channel that names none. Default: `redrive`. */
  readonly group?: string
  /** Which kind of topic all channels of this transport are; for several kinds make several transports. Default: `normal`. */
  readonly topics?: TopicKind
  /** How many queues a topic gets that is made here, on each broker. On `fifo` topics so many can wait independently. Default: 8. */
  readonly queues?: number
  /** How long one question for messages waits at the proxy, which waits for at least 5 s unless it is told otherwise. Default: 5 s. */
  readonly pollFor?: Duration
  /** How long a call waits for an answer before it is `unsure`, beyond what it asks the proxy to wait. Default: 10 s. */
  readonly answerWithin?: Duration
  /** `maxMessageSize` of the brokers. Default: 4 MiB. */
  readonly maxBody?: Size
  readonly clock?: Clock
  readonly newId?: NewId
}

/** The same, complete and checked. Durations are milliseconds, sizes are bytes. */
export interface Settings {
  /** `host:port` of the proxy. */
  readonly proxy: string
  readonly nameServers: readonly string[]
  readonly credentials: Credentials | undefined
  /** `undefined`: in the clear. */
  readonly tls: TlsOptions | undefined
  readonly group: string
  readonly topics: TopicKind
  readonly queues: number
  readonly pollFor: number
  readonly answerWithin: number
  readonly maxBody: number
  readonly clock: Clock
  readonly newId: NewId
}

const keys = [
  ...(['url', 'tls', 'group', 'topics', 'queues', 'pollFor', 'answerWithin'] as const),
  ...(['maxBody', 'clock', 'newId'] as const),
]

export function resolveOptions(options: RocketmqOptions): Settings {
  const given = readOptions(options, keys, 'rocketmq')
  const { isSecure, ...places } = given.required('url', placesIn)
  return {
    ...places,
    tls: given.has('tls') ? given.required('tls', anObject<TlsOptions>) : isSecure ? {} : undefined,
    group: given.read('group', groupName, 'redrive'),
    topics: given.read('topics', oneOf(topicKinds), 'normal'),
    queues: given.read('queues', wholeNumber({ min: 1, max: 1000 }), 8),
    pollFor: given.read('pollFor', durationWithin({ min: '200ms', max: '20s' }), 5_000),
    answerWithin: given.read('answerWithin', durationWithin({ min: '100ms', max: '10m' }), 10_000),
    maxBody: given.read('maxBody', sizeWithin({ min: '1KiB', max: '64MiB' }), defaultMaxBody),
    clock: given.read('clock', objectWith<Clock>(clockVerbs, 'a clock'), systemClock),
    newId: given.read('newId', aFunction<NewId>, newUuid),
  }
}

interface Places extends Pick<Settings, 'proxy' | 'nameServers' | 'credentials'> {
  readonly isSecure: boolean
}

const placesIn: Check<Places> = (value, where) => {
  const text = secret(2000)(value, where)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const nameServers = (url?.searchParams.get('nameServer') ?? '').split(',').filter((each) => /^[^\s:]+:\d{1,5}$/.test(each))
  const isKnown = url?.protocol === 'rocketmq:' || url?.protocol === 'rocketmqs:'
  if (!url || !isKnown || url.port === '' || nameServers.length === 0 || (url.username === '') !== (url.password === ''))
    // The value is not shown: it may hold a secret.
    throw new RedriveError(
      'bad-option',
      'rocketmq: url is not one such as rocketmq://proxy:8081?nameServer=host:9876, or rocketmqs://key:secret@proxy:8081?nameServer=host:9876.',
    )
  return { proxy: url.host, nameServers, credentials: credentialsIn(url), isSecure: url.protocol === 'rocketmqs:' }
}

function credentialsIn({ username, password }: URL): Credentials | undefined {
  if (username === '') return undefined
  try {
    return { accessKey: decodeURIComponent(username), secretKey: decodeURIComponent(password) }
  } catch {
    throw new RedriveError('bad-option', 'rocketmq: key or secret in url are not encoded as urls want it; write % as %25.')
  }
}

/** It becomes part of the names of topics. */
const groupName: Check<string> = (value, where) => {
  if (typeof value === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(value)) return value
  throw badOption(where, value, 'at most 100 letters, digits, dashes and underscores')
}
