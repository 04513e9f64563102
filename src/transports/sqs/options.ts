import type { Duration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'
import { aFunction, durationWithin, objectWith, oneOf, secret, sizeWithin, text, wholeNumber } from '../../core/option-checks.ts'
import { badOption, type Check, readOptions } from '../../core/options.ts'
import { type Clock, clockVerbs, type NewId } from '../../core/ports.ts'
import type { Size } from '../../core/size.ts'
import { newUuid } from '../../platform/chance.ts'
import { systemClock } from '../../platform/clock.ts'
import { defaultMaxMessage, type QueueKind, queueKinds } from './capabilities.ts'

export interface SqsOptions {
  /** Such as `eu-central-1`. Default: as the environment of the AWS SDK says (`AWS_REGION`, profiles). */
  readonly region?: string
  /** Another address than Amazon's, such as `http://127.0.0.1:9324` for ElasticMQ. */
  readonly endpoint?: string
  /** Default: the credential chain of the AWS SDK (environment, profile, container, instance). */
  readonly credentials?: Credentials
  /** Which kind of queue all channels of this transport are; for both kinds make two transports. Default: `standard`. */
  readonly queues?: QueueKind
  /** Stands before the name of every queue, such as `staging-`. Default: nothing. */
  readonly prefix?: string
  /** How long one question for messages waits at the server. `close` waits for it too. Whole seconds are used. Default: 5 s. */
  readonly pollFor?: Duration
  /** How long a call waits for an answer before it is `unsure`, beyond what it asks the server to wait. Default: 10 s. */
  readonly answerWithin?: Duration
  /** Requests that may be under way at one time. Default: 50. */
  readonly connections?: number
  /** What a message may weigh with its attributes. A queue that says that it takes less is believed. Default: 256 KiB. */
  readonly maxMessage?: Size
  readonly clock?: Clock
  readonly newId?: NewId
}

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** The same, complete and checked. Durations are milliseconds, sizes are bytes. */
export interface Settings {
  readonly region: string | undefined
  readonly endpoint: string | undefined
  readonly credentials: Credentials | undefined
  readonly queues: QueueKind
  readonly prefix: string
  readonly pollFor: number
  readonly answerWithin: number
  readonly connections: number
  readonly maxMessage: number
  readonly clock: Clock
  readonly newId: NewId
}

const keys = [
  ...(['region', 'endpoint', 'credentials', 'queues', 'prefix', 'pollFor', 'answerWithin'] as const),
  ...(['connections', 'maxMessage', 'clock', 'newId'] as const),
]

/** Nobody checks these at a server of one's own, and the SDK does not start without any. */
const local = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }

export function resolveOptions(options: SqsOptions): Settings {
  const given = readOptions(options, keys, 'sqs')
  const endpoint = given.has('endpoint') ? given.required('endpoint', httpUrl) : undefined
  const usual = endpoint !== undefined && isLoopback(endpoint) ? local : undefined
  return {
    region: given.has('region') ? given.required('region', text(100)) : usual?.region,
    endpoint,
    credentials: given.has('credentials') ? given.required('credentials', someCredentials) : usual?.credentials,
    queues: given.read('queues', oneOf(queueKinds), 'standard'),
    prefix: given.read('prefix', namePrefix, ''),
    pollFor: given.read('pollFor', durationWithin({ min: '1s', max: '20s' }), 5_000),
    answerWithin: given.read('answerWithin', durationWithin({ min: '100ms', max: '10m' }), 10_000),
    connections: given.read('connections', wholeNumber({ min: 1, max: 1000 }), 50),
    maxMessage: given.read('maxMessage', sizeWithin({ min: '128KiB', max: '1MiB' }), defaultMaxMessage),
    clock: given.read('clock', objectWith<Clock>(clockVerbs, 'a clock'), systemClock),
    newId: given.read('newId', aFunction<NewId>, newUuid),
  }
}

const httpUrl: Check<string> = (value, where) => {
  const url = text(2000)(value, where)
  const { protocol, username, password } = URL.canParse(url) ? new URL(url) : { protocol: '', username: '', password: '' }
  if ((protocol === 'http:' || protocol === 'https:') && username === '' && password === '') return url
  // The value is not shown: it may hold a password.
  throw new RedriveError('bad-option', 'sqs: endpoint is not an http:// or https:// URL without a user and a password.')
}

const namePrefix: Check<string> = (value, where) => {
  if (typeof value === 'string' && /^[A-Za-z0-9_-]{0,40}$/.test(value)) return value
  throw badOption(where, value, 'at most 40 letters, digits, dashes and underscores')
}

function isLoopback(endpoint: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(new URL(endpoint).hostname)
}

const someCredentials: Check<Credentials> = (value, where) => {
  if (typeof value !== 'object' || value === null) throw badOption(where, '(hidden)', 'accessKeyId and secretAccessKey')
  const given = readOptions(value as Credentials, ['accessKeyId', 'secretAccessKey', 'sessionToken'], where)
  return {
    accessKeyId: given.required('accessKeyId', secret(500)),
    secretAccessKey: given.required('secretAccessKey', secret(500)),
    ...(given.has('sessionToken') && { sessionToken: given.required('sessionToken', secret(10_000)) }),
  }
}
