import type { Header, Headers, HeaderTable, HeaderValue } from './message.ts'

const decoder = new TextDecoder()

/** The first header of that name: on a log, where headers repeat, the first one is the oldest. */
export function header(headers: Headers, name: string): HeaderValue | undefined {
  for (const entry of headers) if (entry[0] === name) return entry[1]
  return undefined
}

/** A header as text, whichever way the broker carried it; `undefined` for tables, lists and null. */
export function textHeader(headers: Headers, name: string): string | undefined {
  const value = header(headers, name)
  return value === undefined ? undefined : headerText(value)
}

/** A header as a whole number of at least 0; `undefined` for anything else, so that a forged or torn value is no number. */
export function countHeader(headers: Headers, name: string): number | undefined {
  const text = textHeader(headers, name)
  if (text === undefined || !/^\d{1,9}$/.test(text)) return undefined
  return Number(text)
}

export function headerText(value: HeaderValue): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (value instanceof Uint8Array) return decoder.decode(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString()
  return undefined
}

/** Replaces every header of the given names and appends them, in the given order. */
export function withHeaders(headers: Headers, added: Headers): Headers {
  if (added.length === 0) return headers
  const replaced = new Set(added.map(([name]) => name))
  return [...headers.filter(([name]) => !replaced.has(name)), ...added]
}

export function withoutHeaders(headers: Headers, drop: (name: string) => boolean): Headers {
  return headers.some(([name]) => drop(name)) ? headers.filter(([name]) => !drop(name)) : headers
}

/** What a header costs on the wire, near enough to keep a budget: the name, the value as bytes, and a little framing. */
export function headerSize([name, value]: Header): number {
  return utf8Length(name) + valueSize(value) + 8
}

export function headersSize(headers: Headers): number {
  let size = 0
  for (const entry of headers) size += headerSize(entry)
  return size
}

/** Whether the headers weigh no more than that. Texts are only measured where their length leaves a doubt. */
export function headersFit(headers: Headers, limit: number): boolean {
  let atMost = 0
  for (const [name, value] of headers) {
    atMost += 3 * name.length + (typeof value === 'string' ? 3 * value.length : valueSize(value)) + 8
  }
  return atMost <= limit || headersSize(headers) <= limit
}

function valueSize(value: HeaderValue): number {
  if (value === null || typeof value === 'boolean') return 1
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Date) return 8
  if (typeof value === 'string') return utf8Length(value)
  if (value instanceof Uint8Array) return value.byteLength
  if (isList(value)) return value.reduce<number>((size, item) => size + valueSize(item) + 1, 4)
  return headersSize(Object.entries(value))
}

export function isList(value: HeaderValue): value is readonly HeaderValue[] {
  return Array.isArray(value)
}

export function isTable(value: HeaderValue): value is HeaderTable {
  return (
    typeof value === 'object' && value !== null && !isList(value) && !(value instanceof Uint8Array) && !(value instanceof Date)
  )
}

export function utf8Length(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < text.length) {
      bytes += 4
      i++
    } else bytes += 3
  }
  return bytes
}

/** A key as text that is the same for the same key: bytes that are no UTF-8 must not fall together. */
export function keyText(key: string | Uint8Array): string {
  return typeof key === 'string' ? key : `bytes:${Array.from(key, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
