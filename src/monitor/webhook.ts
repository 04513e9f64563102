import type { Alert } from '../core/alerts/monitor/alert.ts'
import { readOptions } from '../core/options.ts'
import { aHeaderName, anApiKey, anHttpUrl } from '../outgoing/http-fields.ts'
import { post } from '../outgoing/http-post.ts'
import type { Notifier } from './notifier.ts'

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
    send: (alert, signal) =>
      post(
        {
          url,
          headers: { ...credentials, 'content-type': 'application/json', 'redrive-delivery': deliveryId(alert) },
          body: JSON.stringify(alert),
        },
        signal,
      ),
  }
}

/** The same for every try, so that the receiver can tell a repetition from news. */
function deliveryId({ id, status }: Alert): string {
  return `${id}-${status}`
}
