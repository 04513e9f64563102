import type { ConnectionOptions as TlsOptions } from 'node:tls'
import type { Duration } from '../core/duration.ts'
import { RedriveError } from '../core/errors.ts'
import { durationWithin, listOf, oneOf, secret, text, wholeNumber } from '../core/option-checks.ts'
import { badOption, type Check, type OptionReader, readOptions } from '../core/options.ts'

export interface MailOptions {
  readonly host: string
  /** Default: 587, or 465 with `security: 'tls'`. */
  readonly port?: number
  /** `starttls` refuses to go on without TLS; `tls` speaks it from the first byte; `none` must be written out. Default: `starttls`. */
  readonly security?: 'starttls' | 'tls' | 'none'
  /** The credentials: both or neither. */
  readonly user?: string
  readonly password?: string
  readonly from: string
  readonly to: string | readonly string[]
  /** Node's TLS options, such as `ca` and `servername`. */
  readonly tls?: TlsOptions
  /** How long the server may keep silent. Default: 10 s. */
  readonly timeout?: Duration
}

export interface MailSettings {
  readonly host: string
  readonly port: number
  readonly security: 'starttls' | 'tls' | 'none'
  readonly credentials: { readonly user: string; readonly password: string } | undefined
  readonly from: string
  readonly to: readonly string[]
  readonly tls: TlsOptions
  readonly timeout: number
}

export const mailKeys = ['host', 'port', 'security', 'user', 'password', 'from', 'to', 'tls', 'timeout'] as const
type Key = (typeof mailKeys)[number]

export function resolveMail(options: MailOptions): MailSettings {
  return readMail(readOptions(options, mailKeys, 'mail'))
}

export function readMail(given: OptionReader<Key>): MailSettings {
  const security = given.read('security', oneOf(['starttls', 'tls', 'none']), 'starttls')
  return {
    host: given.required('host', aHost),
    port: given.read('port', aPort, security === 'tls' ? 465 : 587),
    security,
    credentials: credentialsFrom(given),
    from: given.required('from', anAddress),
    to: given.required('to', someAddresses),
    tls: given.read('tls', tlsOptions, {}),
    timeout: given.read('timeout', durationWithin({ min: '100ms', max: '5m' }), 10_000),
  }
}

function credentialsFrom(given: OptionReader<Key>): MailSettings['credentials'] {
  if (!given.has('user') && !given.has('password')) return undefined
  return { user: given.required('user', text(320)), password: given.required('password', secret(4096)) }
}

/** What the environment fills in is text. */
const aPort: Check<number> = (value, where) =>
  wholeNumber({ min: 1, max: 65_535 })(typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value, where)

const aHost: Check<string> = (value, where) => {
  if (typeof value === 'string' && /^[A-Za-z0-9.:-]{1,253}$/.test(value)) return value
  throw badOption(where, value, 'the name or the address of a host')
}

/** One plain address: nothing that a mail server could read as two, or as a comment. */
const anAddress: Check<string> = (value, where) => {
  if (typeof value === 'string' && /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}$/.test(value)) return value
  throw badOption(where, value, 'one address such as "ops@example.com", without a name')
}

const someAddresses: Check<readonly string[]> = (value, where) => {
  if (typeof value === 'string') return [anAddress(value, where)]
  const addresses = listOf(anAddress, 100)(value, where)
  if (addresses.length === 0) throw new RedriveError('bad-option', `${where} is empty; somebody must get the mail.`)
  return addresses
}

const tlsOptions: Check<TlsOptions> = (value, where) => {
  if (typeof value === 'object' && value !== null) return value
  throw badOption(where, value, 'an object')
}
