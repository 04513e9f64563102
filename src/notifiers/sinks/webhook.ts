import { webhookBody } from '../../core/alerts/formats/webhook.ts'
import { secret } from '../../core/option-checks.ts'
import { readOptions } from '../../core/options.ts'
import { aHeaderName, anApiKey } from '../../outgoing/http-fields.ts'
import { post } from '../../outgoing/http-post.ts'
import { httpKeys, readHttpTarget } from '../../outgoing/http-target.ts'
import { readRoute, routingKeys } from '../routing-options.ts'
import { signatureHeaders } from '../signature.ts'
import type { SinkMaker } from '../sink-maker.ts'

export const webhookSink: SinkMaker = (name, options, { clock }) => {
  const given = readOptions(options, [...httpKeys, 'apiKey', 'header', 'signingSecret', ...routingKeys], 'webhook')
  const { url, mayConnect } = readHttpTarget(given)
  const header = given.read('header', aHeaderName, 'x-api-key')
  const credentials = given.has('apiKey') ? { [header]: given.required('apiKey', anApiKey) } : {}
  const signingSecret = given.has('signingSecret') ? given.required('signingSecret', secret(4096)) : undefined
  return {
    name,
    kind: 'webhook',
    target: url.host,
    keepsState: false,
    takes: readRoute(given),
    send(notification, signal) {
      const body = webhookBody(notification)
      const headers = {
        ...credentials,
        'content-type': 'application/json',
        'redrive-delivery': notification.id,
        ...(signingSecret !== undefined && signatureHeaders(body, signingSecret, clock.now())),
      }
      return post({ url, headers, body }, signal, mayConnect)
    },
  }
}
