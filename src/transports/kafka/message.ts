import { RedriveError } from '../../core/errors.ts'
import { headersSize, headerText } from '../../core/headers.ts'
import type { Header, HeaderValue, Message } from '../../core/message.ts'
import type { Capabilities } from '../capabilities.ts'

export const transportName = 'kafka'

/** When a record of a retry topic may be delivered, in epoch milliseconds. Not shown. */
export const dueHeader = 'redrive-due'

/**
 * A record has a key, a value and headers, and nothing else: what a message has beyond that goes into headers. The second name is
 * seed 003's, which is read where ours is missing; where it says the same, ours is not written.
 */
const fields = [
  { field: 'id', ours: 'redrive-message-id', theirs: 'message_id' },
  { field: 'type', ours: 'redrive-message-type', theirs: 'event_type' },
  { field: 'contentType', ours: 'redrive-message-content-type', theirs: 'content_type' },
  { field: 'correlationId', ours: 'redrive-message-correlation-id', theirs: 'correlation_id' },
] as const
const hidden: ReadonlySet<string> = new Set([dueHeader, ...fields.map(({ ours }) => ours)])

/** A record as it was fetched. Its bytes belong to the buffer of the whole answer. */
export interface StoredRecord {
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly (readonly [Buffer | null, Buffer | null])[]
  /** Epoch milliseconds. */
  readonly timestamp: number
}

/** A record as it is produced. */
export interface NewRecord {
  readonly key: Buffer | undefined
  readonly value: Buffer | undefined
  /** Names are buffers, each of them another object: so that a name can be there twice. */
  readonly headers: Map<Buffer, Buffer>
  readonly size: number
}

type Draft = { -readonly [Field in keyof Message]: Message[Field] }

/** Made anew for each delivery: what a handler does to a body is not seen by the next one. */
export function toMessage(record: StoredRecord): Message {
  const headers: Header[] = []
  const texts = new Map<string, string>()
  for (const [name, value] of record.headers) {
    const named = (name ?? '').toString()
    if (known.has(named) && value && !texts.has(named)) texts.set(named, value.toString())
    if (!hidden.has(named)) headers.push([named, value === null ? null : copyOf(value)])
  }
  const message: Draft = { body: record.value === null ? null : copyOf(record.value), headers }
  if (record.key !== null) message.key = keyOf(record.key)
  for (const { field, ours, theirs } of fields) {
    const text = texts.get(ours) ?? texts.get(theirs)
    if (text !== undefined) message[field] = text
  }
  message.native = { transport: transportName, properties: { timestamp: record.timestamp } }
  return message
}

const known: ReadonlySet<string> = new Set(fields.flatMap(({ ours, theirs }) => [ours, theirs]))

function copyOf(bytes: Buffer): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes)
}

/** Text where it is text. */
function keyOf(key: Buffer): string | Uint8Array {
  const text = key.toString()
  return Buffer.from(text).equals(key) ? text : copyOf(key)
}

/** The time of a record that waits in a retry topic; 0 for one that does not. */
export function dueOf({ headers }: StoredRecord): number {
  for (const [name, value] of headers) if (name?.toString() === dueHeader) return Number(value?.toString()) || 0
  return 0
}

/** The same for the same key, and for all records without one. */
export function orderKeyOf({ key }: StoredRecord): string {
  return key === null ? '' : `=${key.toString('latin1')}`
}

export function toRecord(message: Message, due: number | undefined, limits: Capabilities['messages']): NewRecord {
  checkSize(message, limits)
  const headers = new Map<Buffer, Buffer>()
  for (const [name, value] of message.headers) if (!hidden.has(name)) headers.set(Buffer.from(name), bytesOf(name, value))
  for (const [name, text] of fieldHeaders(message)) headers.set(Buffer.from(name), Buffer.from(text))
  if (due !== undefined) headers.set(Buffer.from(dueHeader), Buffer.from(String(due)))
  const key = message.key === undefined ? undefined : Buffer.from(message.key)
  const value = message.body === null ? undefined : Buffer.from(message.body)
  let size = (key?.length ?? 0) + (value?.length ?? 0) + framing
  for (const [name, bytes] of headers) size += name.length + bytes.length + framing
  return { key, value, headers, size }
}

/** More than the lengths and deltas around a record or a header ever take. */
const framing = 32

function* fieldHeaders(message: Message): Generator<[string, string]> {
  for (const { field, ours, theirs } of fields) {
    const value = message[field]
    const said = message.headers.find(([name]) => name === theirs)
    if (value !== undefined && (said === undefined || headerText(said[1]) !== value)) yield [ours, value]
  }
}

function bytesOf(name: string, value: HeaderValue): Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value)
  const text = value === null ? '' : headerText(value)
  if (text !== undefined) return Buffer.from(text)
  throw new RedriveError('bad-message', `Kafka cannot hold this message: its header "${name}" is a list or a table.`)
}

function checkSize({ body, headers }: Message, { maxBody, maxHeaders }: Capabilities['messages']): void {
  if (body !== null && body.byteLength > maxBody)
    throw new RedriveError('too-large', `The body has ${body.byteLength} bytes; at most ${maxBody} are allowed (maxBody).`)
  const size = headersSize(headers)
  if (size > maxHeaders) throw new RedriveError('too-large', `The headers have ${size} bytes; at most ${maxHeaders} are allowed.`)
}
