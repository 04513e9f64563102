import type { Header, Message } from '../../core/message.ts'
import { type ByteCursor, readSigned } from './byte-cursor.ts'

export const transportName = 'kafka'

/** When a record of a retry topic may be delivered, in epoch milliseconds. Not shown. */
export const dueHeader = 'redrive-due'

/**
 * A record has a key, a value and headers, and nothing else: what a message has beyond that goes into headers. The second name is
 * seed 003's, which is read where ours is missing; where it says the same, ours is not written.
 */
export const fields = [
  { field: 'id', ours: 'redrive-message-id', theirs: 'message_id' },
  { field: 'type', ours: 'redrive-message-type', theirs: 'event_type' },
  { field: 'contentType', ours: 'redrive-message-content-type', theirs: 'content_type' },
  { field: 'correlationId', ours: 'redrive-message-correlation-id', theirs: 'correlation_id' },
] as const
/** Headers that are ours alone, and no part of a message. */
export const hidden: ReadonlySet<string> = new Set([dueHeader, ...fields.map(({ ours }) => ours)])
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
  const cursor = { bytes, at: headersAt }
  for (let left = readSigned(cursor); left > 0; left--) {
    const name = wordAt(bytes, passBytes(cursor), cursor.at)
    const length = readSigned(cursor)
    const at = cursor.at
    if (length > 0) cursor.at += length
    const place = places.get(name)
    if (place !== undefined && length >= 0) texts[place] ??= wordAt(bytes, at, at + length)
    if (!hidden.has(name)) headers.push([name, copyOf(bytes, at, length)])
  }
  return texts
}

/** Goes behind a length and so many bytes, and tells where they begin. */
function passBytes(cursor: ByteCursor): number {
  const length = readSigned(cursor)
  const { at } = cursor
  if (length > 0) cursor.at += length
  return at
}

/**
 * Names, types and the like that were read lately. Nearly all records of a topic have the same ones, and to make them anew is what costs
 * most in a header.
 */
const words: (string | undefined)[] = new Array(256)
const longestWord = 64

function wordAt(bytes: Buffer, at: number, end: number): string {
  const length = end - at
  const slot = (31 * length + 7 * (bytes[at] ?? 0) + (bytes[end - 1] ?? 0)) & 0xff
  const known = words[slot]
  if (known !== undefined && known.length === length && isSame(known, bytes, at)) return known
  const word = bytes.toString('utf8', at, end)
  if (length <= longestWord) words[slot] = word
  return word
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
  const cursor = { bytes, at: headersAt }
  for (let left = readSigned(cursor); left > 0; left--) {
    const nameStart = passBytes(cursor)
    const isDue = cursor.at - nameStart === dueHeader.length && isSame(dueHeader, bytes, nameStart)
    const at = passBytes(cursor)
    if (isDue) return Number(bytes.toString('utf8', at, cursor.at)) || 0
  }
  return 0
}

/** The same for the same key, and for all records without one. */
export function orderKeyOf({ bytes, keyAt, keyLength }: StoredRecord): string {
  return keyLength < 0 ? '' : `=${bytes.toString('latin1', keyAt, keyAt + keyLength)}`
}
