import { Buffer } from 'node:buffer'
import { RedriveError } from '../core/errors.ts'
import { isList, isTable } from '../core/headers.ts'
import type { HeaderValue } from '../core/message.ts'

/**
 * Headers as JSON: what JSON can hold stands as it is; bytes, dates and large integers are objects with one member that starts with `$`. The
 * same form comes back with an edit.
 */
export function headerJson(value: HeaderValue): unknown {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (value instanceof Date) return { $date: Number.isNaN(value.getTime()) ? null : value.toISOString() }
  if (typeof value === 'bigint') return { $integer: String(value) }
  if (typeof value === 'number' && !Number.isFinite(value)) return null
  if (isList(value)) return value.map(headerJson)
  if (isTable(value)) return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, headerJson(item)]))
  return value
}

/** Deeper than any broker takes. */
const deepest = 32

export function headerFromJson(value: unknown, depth = 0): HeaderValue {
  if (depth > deepest) throw new RedriveError('bad-request', `headers: nested more than ${deepest} levels deep.`)
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map((item) => headerFromJson(item, depth + 1))
  if (typeof value !== 'object') throw new RedriveError('bad-request', `headers: a ${typeof value} is no value of a header.`)
  const entries = Object.entries(value as Record<string, unknown>)
  const [name, content] = entries[0] ?? []
  if (entries.length === 1 && typeof content === 'string') {
    if (name === '$bytes') return Buffer.from(content, 'base64')
    if (name === '$date') return new Date(content)
    if (name === '$integer' && /^-?\d{1,40}$/.test(content)) return BigInt(content)
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, headerFromJson(item, depth + 1)]))
}
