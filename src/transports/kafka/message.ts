import { RedriveError } from '../../core/errors.ts'
import { headersSize, headerText } from '../../core/headers.ts'
import type { Header, HeaderValue, Message } from '../../core/message.ts'
import type { Capabilities } from '../capabilities.ts'
import { type ByteCursor, cursorOver, readSigned } from './byte-cursor.ts'

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
/** Where each known name has its place among the texts of a message. */
const places: ReadonlyMap<string, number> = new Map(
  fields.flatMap(({ ours, theirs }, index): [string, number][] => [
    [ours, 2 * index],
    [theirs, 2 * index + 1],
  ]),
)

/**
 * A record as it was fetched: where its parts stand in the bytes of the whole answer. Nothing is made of them before somebody wants it.
 * A length of -1 says that there is none.
 */
export interface StoredRecord {
  readonly bytes: Buffer
  /** Epoch milliseconds. */
  readonly timestamp: number
  readonly keyAt: number
  readonly keyLength: number
  readonly valueAt: number
  readonly valueLength: number
  readonly headersAt: number
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
  const { bytes, keyAt, keyLength, valueAt, valueLength, timestamp } = record
  const headers: Header[] = []
  const message: Draft = { body: copyOf(bytes, valueAt, valueLength), headers }
  if (keyLength >= 0) message.key = keyOf(bytes, keyAt, keyLength)
  const texts = readHeaders(record, headers)
  for (let index = 0; index < fields.length; index++) {
    const text = texts[2 * index] ?? texts[2 * index + 1]
    if (text !== undefined) message[(fields[index] as (typeof fields)[number]).field] = text
  }
  message.native = { transport: transportName, properties: { timestamp } }
  return message
}

/** Gives the texts of the known ones, each at its place, the first of a name. */
function readHeaders({ bytes, headersAt }: StoredRecord, headers: Header[]): readonly (string | undefined)[] {
  const texts: (string | undefined)[] = []
  const cursor = cursorOver(bytes, headersAt)
  for (let left = readSigned(cursor); left > 0; left--) {
    const name = nameAt(bytes, skipBytes(cursor), cursor.at)
    const length = readSigned(cursor)
    const at = cursor.at
    if (length > 0) cursor.at += length
    const place = places.get(name)
    if (place !== undefined && length >= 0) texts[place] ??= bytes.toString('utf8', at, at + length)
    if (!hidden.has(name)) headers.push([name, copyOf(bytes, at, length)])
  }
  return texts
}

/** Goes behind a length and so many bytes, and tells where they begin. */
function skipBytes(cursor: ByteCursor): number {
  const length = readSigned(cursor)
  const { at } = cursor
  if (length > 0) cursor.at += length
  return at
}

/** Names that were read lately. Nearly all records of a topic have the same ones, and to make them anew is what costs most in a header. */
const names: (string | undefined)[] = []
const longestName = 64

function nameAt(bytes: Buffer, at: number, end: number): string {
  const length = end - at
  const slot = (31 * length + 7 * (bytes[at] ?? 0) + (bytes[end - 1] ?? 0)) & 0xff
  const known = names[slot]
  if (known !== undefined && known.length === length && isSame(known, bytes, at)) return known
  const name = bytes.toString('utf8', at, end)
  if (length <= longestName) names[slot] = name
  return name
}

/** Never for a text beyond ASCII, whose letters have other numbers than its bytes. */
function isSame(text: string, bytes: Buffer, at: number): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) !== bytes[at + index]) return false
  return true
}

/** Without a buffer of its own: a slice of the pool costs a tenth of that. */
function copyOf(bytes: Buffer, at: number, length: number): Uint8Array | null {
  if (length < 0) return null
  const copy = Buffer.allocUnsafe(length)
  bytes.copy(copy, 0, at, at + length)
  return copy
}

/** Text where it is text. */
function keyOf(bytes: Buffer, at: number, length: number): string | Uint8Array {
  const text = bytes.toString('utf8', at, at + length)
  if (text.length === length && isSame(text, bytes, at)) return text
  const key = Buffer.from(bytes.subarray(at, at + length))
  return Buffer.from(text).equals(key) ? text : key
}

/** The time of a record that waits in a retry topic; 0 for one that does not. */
export function dueOf({ bytes, headersAt }: StoredRecord): number {
  const cursor = cursorOver(bytes, headersAt)
  for (let left = readSigned(cursor); left > 0; left--) {
    const nameStart = skipBytes(cursor)
    const isDue = cursor.at - nameStart === dueHeader.length && isSame(dueHeader, bytes, nameStart)
    const at = skipBytes(cursor)
    if (isDue) return Number(bytes.toString('utf8', at, cursor.at)) || 0
  }
  return 0
}

/** The same for the same key, and for all records without one. */
export function orderKeyOf({ bytes, keyAt, keyLength }: StoredRecord): string {
  return keyLength < 0 ? '' : `=${bytes.toString('latin1', keyAt, keyAt + keyLength)}`
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
