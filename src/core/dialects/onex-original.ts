import { fromBase64 } from '../base64.ts'
import { header } from '../headers.ts'
import type { Header, Headers, HeaderTable, Message, NativeProperties } from '../message.ts'
import { names } from './letter-headers.ts'
import { fromTypedJson } from './typed-json.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })
const encoder = new TextEncoder()

type Fields = Readonly<Record<string, unknown>>

/** What stands in `original_message` of a letter in the dialect of seed 003; nothing where it cannot be read. */
export function onexOriginal({ body, headers }: Message): Message | undefined {
  const payload = fieldsOfJson(body)
  const fields = fieldsOf(payload?.['original_message'])
  const restored = fields && bodyOf(fields)
  if (!fields || restored === undefined) return undefined
  const key = bytesAt(fields, 'key_base64') ?? textAt(fields, 'key')
  const native = fromTypedJson(fields['native']) as unknown as NativeProperties | undefined
  return {
    body: restored,
    headers: headersOf(fields['headers']),
    ...(key !== undefined && { key }),
    ...optional('id', textAt(fields, 'id')),
    ...optional('type', textAt(fields, 'type')),
    ...optional('contentType', textAt(fields, 'content_type')),
    ...optional('correlationId', payload && correlationIdIn(payload, headers)),
    ...(native !== undefined && { native }),
  }
}

/** The letter always has one; where the message had none, a header says which one was made up. */
function correlationIdIn(payload: Fields, headers: Headers): string | undefined {
  if (header(headers, names.correlationId) !== undefined) return undefined
  return textAt(payload, 'original_correlation_id') ?? textAt(payload, 'correlation_id')
}

function bodyOf(fields: Fields): Uint8Array | null | undefined {
  if (fields['value_is_null'] === true) return null
  const text = textAt(fields, 'value')
  return bytesAt(fields, 'value_base64') ?? (text === undefined ? undefined : encoder.encode(text))
}

function headersOf(value: unknown): Headers {
  if (!Array.isArray(value)) return []
  return value.flatMap((entry): Header[] =>
    Array.isArray(entry) && typeof entry[0] === 'string' ? [[entry[0], fromTypedJson(entry[1]) ?? null]] : [],
  )
}

function fieldsOfJson(body: Uint8Array | null): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(decoder.decode(body ?? new Uint8Array())))
  } catch {
    return undefined
  }
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as HeaderTable) : undefined
}

function textAt(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' ? value : undefined
}

function bytesAt(fields: Fields, name: string): Uint8Array | undefined {
  const text = textAt(fields, name)
  return text === undefined ? undefined : fromBase64(text)
}

function optional<Name extends string>(name: Name, value: string | undefined): { readonly [_ in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [_ in Name]: string })
}
