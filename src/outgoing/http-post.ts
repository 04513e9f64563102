import { lookup } from 'node:dns'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { classOfStatus } from '../core/known-errors.ts'
import { systemClock } from '../platform/clock.ts'
import { retryAfter } from './retry-after.ts'
import { notSent, type SendOutcome, sent } from './send-outcome.ts'

export interface OutgoingPost {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Whether a connection to this address is allowed. It is asked about the very address that is connected to, so that no name can change in between. */
export type MayConnect = (address: string) => boolean

const anywhere: MayConnect = () => true
const forbidden = 'EFORBIDDEN'

/** Posts once, over a connection of its own. Redirects are not followed, and answers are not read: nothing in them is for us. */
export async function post(
  { url, headers, body }: OutgoingPost,
  signal: AbortSignal,
  mayConnect: MayConnect = anywhere,
): Promise<SendOutcome> {
  if (!isAllowedLiteral(url, mayConnect)) return notAllowed()
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent: false,
    lookup: checkedLookup(mayConnect),
    signal,
  })
  return new Promise((resolve) => {
    request.on('error', (error) => resolve(failureOf(error)))
    request.on('response', ({ statusCode = 0, headers: answered }) => {
      resolve(outcomeOf(statusCode, answered['retry-after'] ?? null))
      request.destroy()
    })
    request.end(body)
  })
}

/** No name is looked up for an address that stands in the URL. */
function isAllowedLiteral({ hostname }: URL, mayConnect: MayConnect): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  return isIP(address) === 0 || mayConnect(address)
}

/** A name with one forbidden address is refused as a whole. */
function checkedLookup(mayConnect: MayConnect): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const [first] = found ?? []
      if (error || !first) callback(error ?? new Error('No address'), [])
      else if (!found.every(({ address }) => mayConnect(address)))
        callback(Object.assign(new Error(forbidden), { code: forbidden }), [])
      else if (options.all) callback(null, found)
      else callback(null, first.address, first.family)
    })
}

function outcomeOf(status: number, after: string | null): SendOutcome {
  if (status >= 200 && status <= 299) return sent
  const mayPass = classOfStatus(status) === 'retryable'
  return notSent(`The receiver answered with status ${status}`, mayPass, retryAfter(after, systemClock.now()))
}

/** What the system calls it; the text of the error may hold the URL. */
function failureOf(error: Error & { readonly code?: unknown }): SendOutcome {
  if (error.code === forbidden) return notAllowed()
  const code = typeof error.code === 'string' ? error.code : 'no connection'
  return notSent(`The receiver cannot be reached (${code})`, true)
}

function notAllowed(): SendOutcome {
  return notSent('The address of the receiver is not allowed', false)
}
