import { RedriveError } from '../../errors.ts'
import { nearest } from '../../nearest.ts'
import type { Notification } from '../notification.ts'

/** Writes a text of the user's own. It names fields of a list and nothing else: there is no expression, no loop and no code in it. */
export type Template = (notification: Notification) => string

type Field = (notification: Notification) => string | number | undefined

const first = (notification: Notification) => notification.alerts[0]

/** Everything that a template may name. */
export const templateFields: Readonly<Record<string, Field>> = {
  id: ({ id }) => id,
  status: ({ status }) => status,
  reason: ({ reason }) => reason,
  severity: ({ severity }) => severity,
  timestamp: ({ timestamp }) => timestamp,
  component: ({ component }) => component,
  subject: ({ subject }) => subject,
  message: ({ message }) => message,
  instance: ({ instance }) => instance,
  link: ({ link }) => link,
  alerts: ({ alerts, more }) => alerts.length + more,
  rule: (notification) => first(notification)?.rule,
  name: (notification) => first(notification)?.name,
  source: (notification) => first(notification)?.source,
  queue: (notification) => first(notification)?.queue,
  consumerGroup: (notification) => first(notification)?.consumerGroup,
  cause: (notification) => first(notification)?.cause,
  count: (notification) => first(notification)?.figures.count,
  threshold: (notification) => first(notification)?.figures.threshold,
  correlationIds: (notification) => first(notification)?.correlationIds.join(', '),
  firstSeen: (notification) => first(notification)?.firstSeen,
  lastSeen: (notification) => first(notification)?.lastSeen,
  runbook: (notification) => first(notification)?.runbook,
}

const placeholder = /\{\{\s*([\w.]*)\s*\}\}/g

/** Throws a `bad-option` that names the field which is not on the list. */
export function parseTemplate(written: string, where: string): Template {
  for (const [, name = ''] of written.matchAll(placeholder)) {
    if (!Object.hasOwn(templateFields, name)) throw unknownField(name, where)
  }
  return (notification) => written.replace(placeholder, (_, name: string) => String(templateFields[name]?.(notification) ?? ''))
}

function unknownField(name: string, where: string): RedriveError {
  const names = Object.keys(templateFields)
  const meant = nearest(name, names)
  return new RedriveError(
    'bad-option',
    `${where} is a template with {{${name}}}, which is no field.${meant === undefined ? '' : ` Did you mean {{${meant}}}?`} Allowed: ${names.join(', ')}.`,
  )
}
