import { pagerDutyEvent } from '../../core/alerts/formats/pager-duty.ts'
import { readOptions } from '../../core/options.ts'
import { anApiKey } from '../../outgoing/http-fields.ts'
import { post } from '../../outgoing/http-post.ts'
import { httpKeys, readHttpTarget } from '../../outgoing/http-target.ts'
import { readRoute, readTemplates, routingKeys, textKeys } from '../routing-options.ts'
import type { SinkMaker } from '../sink-maker.ts'

const standardUrl = 'https://events.pagerduty.com/v2/enqueue'

/** The Events API v2 of PagerDuty. */
export const pagerDutySink: SinkMaker = (name, options) => {
  const given = readOptions(options, [...httpKeys, 'routingKey', ...routingKeys, ...textKeys], 'pagerduty')
  const { url, mayConnect } = readHttpTarget(given, [], standardUrl)
  const routingKey = given.required('routingKey', anApiKey)
  const templates = readTemplates(given)
  return {
    name,
    kind: 'pagerduty',
    target: url.host,
    keepsState: true,
    takes: readRoute(given),
    send: (notification, signal) =>
      post(
        {
          url,
          headers: { 'content-type': 'application/json', 'redrive-delivery': notification.id },
          body: pagerDutyEvent(notification, routingKey, templates),
        },
        signal,
        mayConnect,
      ),
  }
}
