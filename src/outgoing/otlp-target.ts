import { RedriveError } from '../core/errors.ts'
import { durationWithin, recordOf, text } from '../core/option-checks.ts'
import { type Check, type OptionReader, readOptions } from '../core/options.ts'
import { aHeaderName, aHeaderValue, anHttpUrl } from './http-fields.ts'
import type { MayConnect } from './http-post.ts'
import { httpKeys, readHttpTarget } from './http-target.ts'

/** A collector of OpenTelemetry, and how it wants to be told. */
export interface OtlpTarget {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds. */
  readonly every: number
  readonly timeout: number
  /** What stands beside every count. */
  readonly resource: Readonly<Record<string, string>>
  /** Absent where the code of a user names the collector: it may go anywhere that the user's process may go. */
  readonly mayConnect?: MayConnect
}

const sharedKeys = ['every', 'timeout', 'headers', 'resource'] as const
/** Where collectors listen for OTLP over HTTP. */
const usualPort = 4318
/** Where the metrics go when the URL names a collector and no place in it. */
const usualPath = '/v1/metrics'

/** The collector that a configuration names, which may be on the internet and where an administrator has allowed it. */
export function readOtlp(options: unknown): OtlpTarget {
  const given = readOptions(options, [...httpKeys, ...sharedKeys], 'otlp')
  const { url, mayConnect } = readHttpTarget(given, [usualPort])
  return { ...shared(given), url: withPath(url), mayConnect }
}

/** The collector that a program names. */
export function readOwnOtlp(options: unknown): OtlpTarget {
  const given = readOptions(options, ['url', ...sharedKeys], 'otlp')
  return { ...shared(given), url: withPath(given.required('url', anHttpUrl)) }
}

function shared(given: OptionReader<(typeof sharedKeys)[number]>): Omit<OtlpTarget, 'url' | 'mayConnect'> {
  const every = given.read('every', durationWithin({ min: '1s', max: '1h' }), 30_000)
  const timeout = given.read('timeout', durationWithin({ min: '100ms', max: '1m' }), 10_000)
  return {
    every,
    timeout,
    headers: given.read('headers', recordOf(aFreeHeader, aHeaderValue, 20), {}),
    resource: given.read('resource', recordOf(anAttributeName, text(500), 20), {}),
  }
}

function withPath(url: URL): URL {
  return url.pathname === '/' ? new URL(usualPath, url) : url
}

/** Those that say how the body is carried are ours. */
const ours: ReadonlySet<string> = new Set([
  ...['content-type', 'content-length', 'content-encoding'],
  ...['transfer-encoding', 'connection', 'host'],
])

const aFreeHeader: Check<string> = (value, where) => {
  const name = aHeaderName(value, where)
  if (!ours.has(name.toLowerCase())) return name
  throw new RedriveError('bad-option', `${where} is not the place for ${name}, which is written anyway.`)
}

const anAttributeName: Check<string> = (value, where) => {
  if (typeof value === 'string' && /^[\w.-]{1,100}$/.test(value)) return value
  throw new RedriveError('bad-option', `${where} holds a name of more than letters, digits, dots, dashes and underscores.`)
}
