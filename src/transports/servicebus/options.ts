import type { TokenCredential } from '@azure/service-bus'
import type { Duration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'
import { aFunction, durationWithin, flag, objectWith, oneOf, secret, sizeWithin, text } from '../../core/option-checks.ts'
import { badOption, type Check, type OptionReader, readOptions } from '../../core/options.ts'
import { type Clock, clockVerbs, type NewId } from '../../core/ports.ts'
import type { Size } from '../../core/size.ts'
import { newUuid } from '../../platform/chance.ts'
import { systemClock } from '../../platform/clock.ts'
import { defaultMaxBody } from './capabilities.ts'

export interface ServicebusOptions {
  /** Such as `Endpoint=sb://name.servicebus.windows.net/;SharedAccessKeyName=…;SharedAccessKey=…`. */
  readonly connectionString?: string
  /** Such as `name.servicebus.windows.net`; with `credential`, instead of a connection string. */
  readonly namespace?: string
  /** A credential of Entra ID, such as a `DefaultAzureCredential`; with `namespace`. */
  readonly credential?: TokenCredential
  /** Where the administration API is, when it is not at the endpoint of the namespace. */
  readonly adminEndpoint?: string
  /** Whether queues and subscriptions require sessions: then messages of one key stay in order. Default: `false`. */
  readonly sessions?: boolean
  /** `copy`: a scheduled copy, which can wait. `abandon`: comes back at once, and keeps its place. Default: `copy`, in sessions `abandon`. */
  readonly retry?: 'copy' | 'abandon'
  /** For how long the service locks a message, on entities that are created. Default: 60 s. */
  readonly lockDuration?: Duration
  /** How long a call waits for an answer before it is `unsure`, or `unreachable` when nothing was done. Default: 10 s. */
  readonly answerWithin?: Duration
  /** How long a session may have nothing to give before another one is asked for. Default: 500 ms. */
  readonly sessionIdle?: Duration
  /** The largest body. Default: 192 KiB, which fits the standard tier together with headers. */
  readonly maxBody?: Size
  readonly clock?: Clock
  readonly newId?: NewId
}

/** The same, complete and checked. Durations are milliseconds, sizes are bytes. */
export interface Settings {
  readonly access: Access
  readonly adminEndpoint: string | undefined
  readonly sessions: boolean
  readonly retry: 'copy' | 'abandon'
  readonly lockDuration: number
  readonly answerWithin: number
  readonly sessionIdle: number
  readonly maxBody: number
  readonly clock: Clock
  readonly newId: NewId
}

export type Access = { readonly connectionString: string } | { readonly namespace: string; readonly credential: TokenCredential }

const keys = [
  ...(['connectionString', 'namespace', 'credential', 'adminEndpoint', 'sessions', 'retry', 'lockDuration'] as const),
  ...(['answerWithin', 'sessionIdle', 'maxBody', 'clock', 'newId'] as const),
]
type Key = (typeof keys)[number]

export function resolveOptions(options: ServicebusOptions): Settings {
  const given = readOptions(options, keys, 'servicebus')
  const sessions = given.read('sessions', flag, false)
  return {
    access: accessFrom(given),
    adminEndpoint: given.has('adminEndpoint') ? given.required('adminEndpoint', text(2000)).replace(/\/+$/, '') : undefined,
    sessions,
    retry: given.read('retry', sessions ? inPlace : oneOf(['copy', 'abandon']), sessions ? 'abandon' : 'copy'),
    // The service itself allows no less than five seconds.
    lockDuration: given.read('lockDuration', durationWithin({ min: '1s', max: '5m' }), 60_000),
    answerWithin: given.read('answerWithin', durationWithin({ min: '100ms', max: '10m' }), 10_000),
    sessionIdle: given.read('sessionIdle', durationWithin({ min: '10ms', max: '1m' }), 500),
    maxBody: given.read('maxBody', sizeWithin({ min: '1KiB', max: '100MiB' }), defaultMaxBody),
    clock: given.read('clock', objectWith<Clock>(clockVerbs, 'a clock'), systemClock),
    newId: given.read('newId', aFunction<NewId>, newUuid),
  }
}

function accessFrom(given: OptionReader<Key>): Access {
  if (!given.has('namespace') && !given.has('credential'))
    return { connectionString: given.required('connectionString', connectionText) }
  if (given.has('connectionString'))
    throw new RedriveError('bad-option', 'servicebus: give connectionString, or namespace with credential, not both.')
  return { namespace: given.required('namespace', text(500)), credential: given.required('credential', tokenCredential) }
}

const inPlace: Check<'abandon'> = (value, where) => {
  if (value === 'abandon') return value
  throw badOption(where, value, '"abandon", because in a session a copy would stand behind its siblings')
}

/** The value is never shown: it holds a key. */
const connectionText: Check<string> = (value, where) => {
  const given = secret(4000)(value, where)
  if (/(^|;)\s*Endpoint\s*=\s*sb:\/\/[^;/]+/i.test(given)) return given
  throw new RedriveError('bad-option', `${where} does not hold Endpoint=sb://…; copy it whole from the portal.`)
}

const tokenCredential: Check<TokenCredential> = (value, where) => {
  if (typeof value === 'object' && value !== null && typeof (value as TokenCredential).getToken === 'function')
    return value as TokenCredential
  throw badOption(where, value, 'an object with getToken, such as a DefaultAzureCredential')
}
