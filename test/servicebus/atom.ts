import type { EntitySettings, Queue, Topic } from './namespace.ts'

/** Entities as the Atom documents of the administration API. */

const xmlns = 'http://schemas.microsoft.com/netservices/2010/10/servicebus/connect'
const endless = 'P10675199DT2H48M5.4775807S'

export function entityEntry(entity: Queue | Topic, endpoint: string): string {
  const at = new Date(entity.createdAt).toISOString()
  const title = entity.path.split('/').at(-1) ?? ''
  return [
    '<entry xmlns="http://www.w3.org/2005/Atom">',
    `<id>${endpoint}/${escapeXml(entity.path)}?api-version=2021-05</id><title type="text">${escapeXml(title)}</title>`,
    `<published>${at}</published><updated>${at}</updated><author><name>test</name></author>`,
    `<link rel="self" href="${endpoint}/${escapeXml(entity.path)}"/>`,
    `<content type="application/xml">${description(entity)}</content></entry>`,
  ].join('')
}

function description(entity: Queue | Topic): string {
  const kind = !('messages' in entity) ? 'Topic' : entity.path.includes('/') ? 'Subscription' : 'Queue'
  const at = new Date(entity.createdAt).toISOString()
  const fields = {
    ...common(entity),
    ...('messages' in entity ? ofQueue(entity) : { SubscriptionCount: entity.subscriptions.size }),
  }
  const times = { CreatedAt: at, UpdatedAt: at, AccessedAt: at }
  const counts = 'messages' in entity ? countDetails(entity) : ''
  const body = Object.entries({ ...fields, ...times }).map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`)
  const xmlnsI = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"'
  return `<${kind}Description xmlns="${xmlns}" ${xmlnsI}>${body.join('')}${counts}</${kind}Description>`
}

function common({ settings }: Queue | Topic): Record<string, unknown> {
  return {
    DefaultMessageTimeToLive: durationText(settings.ttl),
    RequiresDuplicateDetection: settings.duplicateWindow > 0,
    DuplicateDetectionHistoryTimeWindow: durationText(settings.duplicateWindow || 600_000),
    MaxSizeInMegabytes: 1024,
    MaxMessageSizeInKilobytes: settings.maxMessageSize / 1024,
    EnableBatchedOperations: true,
    EnablePartitioning: settings.partitioned,
    EnableExpress: false,
    SupportOrdering: true,
    Status: 'Active',
    EntityAvailabilityStatus: 'Available',
    AutoDeleteOnIdle: endless,
    SizeInBytes: 0,
  }
}

function ofQueue({ settings, messages, deadLetters }: Queue): Record<string, unknown> {
  return {
    LockDuration: durationText(settings.lockDuration),
    RequiresSession: settings.requiresSession,
    DeadLetteringOnMessageExpiration: settings.deadLetterOnExpiry,
    MaxDeliveryCount: settings.maxDeliveryCount,
    MessageCount: messages.size + deadLetters.size,
    DeadLetteringOnFilterEvaluationExceptions: true,
    ...(settings.forwardTo !== undefined && { ForwardTo: settings.forwardTo }),
    ...(settings.forwardDeadLettersTo !== undefined && { ForwardDeadLetteredMessagesTo: settings.forwardDeadLettersTo }),
  }
}

function countDetails({ messages, deadLetters }: Queue): string {
  const counts = {
    ActiveMessageCount: messages.count('active') + messages.count('deferred'),
    DeadLetterMessageCount: deadLetters.size,
    ScheduledMessageCount: messages.count('scheduled'),
    TransferMessageCount: 0,
    TransferDeadLetterMessageCount: 0,
  }
  const body = Object.entries(counts).map(([name, value]) => `<d2p1:${name}>${value}</d2p1:${name}>`)
  return `<CountDetails xmlns:d2p1="http://schemas.microsoft.com/netservices/2011/06/servicebus">${body.join('')}</CountDetails>`
}

/** What a request to create an entity asks for; the rest is as by default. */
export function settingsFrom(xml: string): EntitySettings {
  const settings: Record<string, unknown> = {
    lockDuration: durationOf(field(xml, 'LockDuration')),
    maxDeliveryCount: numberOf(field(xml, 'MaxDeliveryCount')),
    ttl: durationOf(field(xml, 'DefaultMessageTimeToLive')),
    deadLetterOnExpiry: truth(field(xml, 'DeadLetteringOnMessageExpiration')),
    requiresSession: truth(field(xml, 'RequiresSession')),
    duplicateWindow: truth(field(xml, 'RequiresDuplicateDetection'))
      ? (durationOf(field(xml, 'DuplicateDetectionHistoryTimeWindow')) ?? 600_000)
      : undefined,
    forwardDeadLettersTo: field(xml, 'ForwardDeadLetteredMessagesTo')?.replace(/^\w+:\/\/[^/]*\//, ''),
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

export function errorXml(code: number, detail: string): string {
  return `<Error><Code>${code}</Code><Detail>${escapeXml(detail)}</Detail></Error>`
}

function field(xml: string, name: string): string | undefined {
  return new RegExp(`<(?:\\w+:)?${name}(?:\\s[^>]*)?>([^<]*)</`).exec(xml)?.[1]
}

const truth = (value: string | undefined): boolean | undefined => (value === undefined ? undefined : value === 'true')
const numberOf = (value: string | undefined): number | undefined => (value === undefined ? undefined : Number(value))

function durationOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(value)
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = (parts ?? []).slice(1).map((part) => Number(part ?? 0))
  const ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
  return ms > 3e14 ? Number.POSITIVE_INFINITY : ms
}

function durationText(ms: number): string {
  return Number.isFinite(ms) ? `PT${ms / 1000}S` : endless
}

function escapeXml(value: string): string {
  const names: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }
  return value.replace(/[<>&"]/g, (character) => names[character] ?? character)
}
