import { alertmanagerAlerts } from '../../core/alerts/formats/alertmanager.ts'
import { readOptions } from '../../core/options.ts'
import { anApiKey } from '../../outgoing/http-fields.ts'
import { post } from '../../outgoing/http-post.ts'
import { httpKeys, readHttpTarget } from '../../outgoing/http-target.ts'
import { readRoute, routingKeys } from '../routing-options.ts'
import type { SinkMaker } from '../sink-maker.ts'

const usualPort = 9093

/** Alertmanager's API v2. `url` is that of Alertmanager itself; `token` goes as a bearer, for one behind a proxy. */
export const alertmanagerSink: SinkMaker = (name, options) => {
  const given = readOptions(options, [...httpKeys, 'token', ...routingKeys], 'alertmanager')
  const { url: base, mayConnect } = readHttpTarget(given, [usualPort])
  const url = new URL(`${base.pathname.replace(/\/$/, '')}/api/v2/alerts`, base)
  const credentials = given.has('token') ? { authorization: `Bearer ${given.required('token', anApiKey)}` } : {}
  return {
    name,
    kind: 'alertmanager',
    target: url.host,
    keepsState: true,
    takes: readRoute(given),
    send: (notification, signal) =>
      post(
        {
          url,
          headers: { ...credentials, 'content-type': 'application/json', 'redrive-delivery': notification.id },
          body: alertmanagerAlerts(notification),
        },
        signal,
        mayConnect,
      ),
  }
}
