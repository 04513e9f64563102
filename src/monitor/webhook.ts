import type { Alert } from '../core/alert.ts'
import { RedriveError } from '../core/errors.ts'
import { classOfStatus } from '../core/known-errors.ts'
import { secret, text } from '../core/option-checks.ts'
import { type Check, readOptions } from '../core/options.ts'
import { systemClock } from '../platform/clock.ts'
import { type Notifier, notSent, type SendOutcome, sent } from './notifier.ts'
import { retryAfter } from './retry-after.ts'

export interface WebhookOptions {
  /** Where alerts are posted, as JSON. Often a secret itself: only its host is ever shown. */
  readonly url: string
  readonly apiKey?: string
  /** The header that carries the API key. Default: `x-api-key`. */
  readonly header?: string
}

/** Posts each alert as JSON. Redirects are not followed, and answers are not read. */
export function webhook(options: WebhookOptions): Notifier {
  const given = readOptions(options, ['url', 'apiKey', 'header'], 'webhook')
  const url = given.required('url', anHttpUrl)
  const header = given.read('header', aHeaderName, 'x-api-key')
  const credentials = given.has('apiKey') ? { [header]: given.required('apiKey', anApiKey) } : {}

  return {
    name: `webhook ${url.host}`,
    async send(alert, signal) {
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { ...credentials, 'content-type': 'application/json', 'redrive-delivery': deliveryId(alert) },
          body: JSON.stringify(alert),
          redirect: 'manual',
          signal,
        })
        await response.body?.cancel()
        return outcomeOf(response)
      } catch (error) {
        return notSent(`The receiver cannot be reached (${networkCode(error)})`, true)
      }
    },
  }
}

/** The same for every try, so that the receiver can tell a repetition from news. */
function deliveryId({ id, status }: Alert): string {
  return `${id}-${status}`
}

function outcomeOf({ ok, status, headers }: Response): SendOutcome {
  if (ok) return sent
  const mayPass = classOfStatus(status) === 'retryable'
  return notSent(
    `The receiver answered with status ${status}`,
    mayPass,
    retryAfter(headers.get('retry-after'), systemClock.now()),
  )
}

/** What the system calls it; the text of the error may hold the URL. */
function networkCode(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } }
  return typeof cause?.code === 'string' ? cause.code : 'no connection'
}

const anHttpUrl: Check<URL> = (value, where) => {
  const parsed = URL.canParse(text(4000)(value, where)) ? new URL(String(value)) : undefined
  const isPlain = parsed?.username === '' && parsed.password === ''
  if (parsed && isPlain && (parsed.protocol === 'https:' || parsed.protocol === 'http:')) return parsed
  // The value is not shown: the path of a webhook is often its password.
  throw new RedriveError('bad-option', `${where} is not one that starts with https:// or http:// and holds no user and password.`)
}

/** What a header cannot carry is refused here, because the error of the library would quote it. */
const anApiKey: Check<string> = (value, where) => {
  const key = secret(4096)(value, where)
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new RedriveError('bad-option', `${where} holds characters that no header can carry.`)
}

const aHeaderName: Check<string> = (value, where) => {
  if (typeof value === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(value)) return value
  throw new RedriveError('bad-option', `${where} is no name of a header: letters, digits and "-" are allowed.`)
}
