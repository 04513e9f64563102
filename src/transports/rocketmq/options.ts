import type { Duration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'
import { aFunction, durationWithin, objectWith, oneOf, secret, sizeWithin, wholeNumber } from '../../core/option-checks.ts'
import { badOption, type Check, readOptions } from '../../core/options.ts'
import { type Clock, clockVerbs, type NewId } from '../../core/ports.ts'
import type { Size } from '../../core/size.ts'
import { newUuid } from '../../platform/chance.ts'
import { systemClock } from '../../platform/clock.ts'
import { defaultMaxBody, type TopicKind, topicKinds } from './capabilities.ts'

export interface RocketmqOptions {
  /**
   * The gRPC proxy, and the name servers behind it: such as `rocketmq://proxy:8081?nameServer=one:9876,two:9876`. Messages go through the
   * proxy; topics, groups, counts and browsing are asked of the brokers that the name servers know.
   */
  readonly url: string
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
  ...(['url', 'group', 'topics', 'queues', 'pollFor', 'answerWithin'] as const),
  ...(['maxBody', 'clock', 'newId'] as const),
]

export function resolveOptions(options: RocketmqOptions): Settings {
  const given = readOptions(options, keys, 'rocketmq')
  return {
    ...given.required('url', places),
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

const places: Check<Pick<Settings, 'proxy' | 'nameServers'>> = (value, where) => {
  const text = secret(2000)(value, where)
  const { protocol, host, port, username, searchParams } = URL.canParse(text) ? new URL(text) : emptyUrl
  const nameServers = (searchParams.get('nameServer') ?? '').split(',').filter((each) => /^[^\s:]+:\d{1,5}$/.test(each))
  if (protocol === 'rocketmq:' && port !== '' && username === '' && nameServers.length > 0) return { proxy: host, nameServers }
  // The value is not shown: somebody may have written a password into it.
  throw new RedriveError('bad-option', 'rocketmq: url is not one such as rocketmq://proxy:8081?nameServer=host:9876.')
}

const emptyUrl = { protocol: '', host: '', port: '', username: '', searchParams: new URLSearchParams() }

/** It becomes part of the names of topics. */
const groupName: Check<string> = (value, where) => {
  if (typeof value === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(value)) return value
  throw badOption(where, value, 'at most 100 letters, digits, dashes and underscores')
}
