import { applicationValues, type StoredMessage } from './sections.ts'

/** What a subscription wants: messages in which all of these are so. An empty filter wants everything. */
export interface CorrelationFilter {
  readonly subject?: string
  readonly correlationId?: string
  readonly properties?: Readonly<Record<string, unknown>>
}

export function matches(message: StoredMessage, { subject, correlationId, properties = {} }: CorrelationFilter): boolean {
  if (subject !== undefined && subject !== message.subject) return false
  if (correlationId !== undefined && correlationId !== message.correlationId) return false
  const values = applicationValues(message)
  return Object.entries(properties).every(([name, value]) => values[name] === value)
}
