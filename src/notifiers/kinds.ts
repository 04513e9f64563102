import type { Clock } from '../core/ports.ts'
import type { Sink } from './sink.ts'
import type { SinkMaker } from './sink-maker.ts'
import { alertmanagerSink } from './sinks/alertmanager.ts'
import { slackSink, teamsSink } from './sinks/chat.ts'
import { mailSink } from './sinks/mail.ts'
import { pagerDutySink } from './sinks/pager-duty.ts'
import { webhookSink } from './sinks/webhook.ts'

export const notifierTypes = ['mail', 'webhook', 'slack', 'teams', 'pagerduty', 'alertmanager'] as const
export type NotifierType = (typeof notifierTypes)[number]

const makers: Readonly<Record<NotifierType, SinkMaker>> = {
  mail: mailSink,
  webhook: webhookSink,
  slack: slackSink,
  teams: teamsSink,
  pagerduty: pagerDutySink,
  alertmanager: alertmanagerSink,
}

/** Throws a `RedriveError` that begins with the type and names the option. */
export function createSink(
  name: string,
  type: NotifierType,
  options: Readonly<Record<string, unknown>>,
  ports: { readonly clock: Clock },
): Sink {
  return makers[type](name, options, ports)
}
