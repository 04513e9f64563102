import { base64, fromBase64 } from './base64.ts'
import { isList } from './headers.ts'
import type { Header, Headers, HeaderTable, HeaderValue, Message } from './message.ts'

/**
 * Everything about a message but its body, as text that a person can read in a file. What JSON can hold stands as it
 * is. Everything else is an object with one member that names its kind, tables included, so that no table is mistaken for a tag.
 */
export type Envelope = [
  version: number,
  id: string | null,
  type: string | null,
  contentType: string | null,
  correlationId: string | null,
  key: Encoded,
  headers: readonly (readonly [string, Encoded])[],
  native: [transport: string, properties: Encoded] | null,
]

const version = 1

type Encoded = null | boolean | number | string | readonly Encoded[] | Tagged
type Tagged =
  | { readonly table: Readonly<Record<string, Encoded>> }
  | { readonly bytes: string }
  | { readonly date: number | null }
  | { readonly integer: string }
  /** A number that JSON has no word for: NaN, the infinities, minus zero. */
  | { readonly number: string }

/** Throws a `TypeError` when a header holds something that no `HeaderValue` is. */
export function encodeEnvelope(message: Message): string {
  const envelope: Envelope = [
    version,
    message.id ?? null,
    message.type ?? null,
    message.contentType ?? null,
    message.correlationId ?? null,
    encode(message.key ?? null),
    message.headers.map(encodeHeader),
    message.native ? [message.native.transport, encode(message.native.properties as HeaderTable)] : null,
  ]
  return JSON.stringify(envelope)
}

export function parseEnvelope(text: string): Envelope {
  return JSON.parse(text) as Envelope
}

/** Where anybody may have written it: what is no envelope of ours, down to its last value, is `undefined`. */
export function envelopeIn(text: string): Envelope | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return isEnvelope(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function isEnvelope(value: unknown): value is Envelope {
  if (!Array.isArray(value) || value.length !== 8) return false
  const [itsVersion, id, type, contentType, correlationId, key, headers, native] = value as readonly unknown[]
  const areTexts = isTextOrNull(id) && isTextOrNull(type) && isTextOrNull(contentType) && isTextOrNull(correlationId)
  return typeof itsVersion === 'number' && areTexts && isKey(key) && isHeaders(headers) && isNative(native)
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string'
}

function isKey(value: unknown): boolean {
  return value === null || typeof value === 'string' || (isTagged(value) && 'bytes' in value && isEncoded(value))
}

function isHeaders(value: unknown): boolean {
  return Array.isArray(value) && value.every(isHeader)
}

function isHeader(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && isEncoded(value[1])
}

function isNative(value: unknown): boolean {
  if (value === null) return true
  if (!Array.isArray(value) || value.length !== 2 || typeof value[0] !== 'string') return false
  return isTagged(value[1]) && 'table' in value[1] && isEncoded(value[1])
}

/** Far deeper than anybody means it. Decoding what nests deeper could overflow the stack of whoever takes it. */
const deepest = 500

function isEncoded(value: unknown, depth: number = 0): value is Encoded {
  if (typeof value === 'string') return true
  if (depth > deepest) return false
  if (Array.isArray(value)) return value.every((item) => isEncoded(item, depth + 1))
  if (!isTagged(value)) return value === null || typeof value === 'boolean' || typeof value === 'number'
  const [[kind, tagged] = [], ...others] = Object.entries(value)
  return others.length === 0 && kind !== undefined && Object.hasOwn(isKind, kind) && isKind[kind as Kind](tagged, depth + 1)
}

function isTagged(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Kind = Tagged extends infer Each ? (Each extends object ? keyof Each : never) : never

const isKind: Readonly<Record<Kind, (value: unknown, depth: number) => boolean>> = {
  table: (value, depth) => isTagged(value) && Object.values(value).every((item) => isEncoded(item, depth)),
  bytes: (value) => typeof value === 'string',
  date: (value) => value === null || typeof value === 'number',
  integer: (value) => typeof value === 'string' && /^-?\d+$/.test(value),
  number: (value) => typeof value === 'string',
}

/** Takes the envelope to pieces: it can be decoded once. */
export function decodeMessage(envelope: Envelope, body: Uint8Array | null): Message {
  const [, id, type, contentType, correlationId, key, headers, native] = envelope
  const message: { -readonly [Name in keyof Message]: Message[Name] } = { body, headers: decodeHeaders(headers) }
  if (id !== null) message.id = id
  if (key !== null) message.key = decode(key) as string | Uint8Array
  if (type !== null) message.type = type
  if (contentType !== null) message.contentType = contentType
  if (correlationId !== null) message.correlationId = correlationId
  if (native !== null) message.native = { transport: native[0], properties: decode(native[1]) as HeaderTable }
  return message
}

/** Decodes in place: the parsed list belongs to nobody else, and most headers are text that needs no decoding. */
function decodeHeaders(headers: Envelope[6]): Headers {
  for (const header of headers) {
    if (typeof header[1] === 'object') (header as [string, HeaderValue])[1] = decode(header[1])
  }
  return headers as Headers
}

/** Most are text, and stand there as they are. */
function encodeHeader(header: Header): readonly [string, Encoded] {
  return typeof header[1] === 'string' ? (header as readonly [string, string]) : [header[0], encode(header[1])]
}

function encode(value: HeaderValue): Encoded {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? value : { number: Object.is(value, -0) ? '-0' : String(value) }
    case 'bigint':
      return { integer: String(value) }
    case 'object':
      return encodeObject(value)
    default:
      throw new TypeError(`A header cannot hold a ${typeof value}.`)
  }
}

function encodeObject(value: Extract<HeaderValue, object | null>): Encoded {
  if (value === null) return null
  if (value instanceof Uint8Array) return { bytes: base64(value) }
  if (value instanceof Date) return { date: Number.isNaN(value.getTime()) ? null : value.getTime() }
  if (isList(value)) return value.map(encode)
  return { table: mapTable(value as HeaderTable, encode) }
}

function decode(value: Encoded): HeaderValue {
  if (typeof value !== 'object' || value === null) return value
  if (isEncodedList(value)) return value.map(decode)
  if ('table' in value) return mapTable(value.table, decode)
  if ('bytes' in value) return fromBase64(value.bytes) ?? new Uint8Array()
  if ('date' in value) return new Date(value.date ?? Number.NaN)
  if ('integer' in value) return BigInt(value.integer)
  return Number(value.number)
}

function isEncodedList(value: readonly Encoded[] | Tagged): value is readonly Encoded[] {
  return Array.isArray(value)
}

/** `fromEntries` defines members, so that a table with a member `__proto__` stays a table. A member that is not there stays so. */
function mapTable<From, To>(table: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(
    Object.entries(table)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, map(value)]),
  )
}
