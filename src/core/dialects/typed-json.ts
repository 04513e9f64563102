import { base64, fromBase64 } from '../base64.ts'
import type { HeaderValue } from '../message.ts'

/** No broker nests deeper; what does is a mistake or an attack, and is written as null. */
const deepest = 32

/**
 * A header's value as JSON that says what it was, so that a replay can restore it: JSON alone knows no bytes, no dates and no
 * whole numbers beyond 2^53, and a list of pairs keeps the order and the repeats that an object would lose.
 */
export type TypedJson =
  | { readonly type: 'null' }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'string' | 'number' | 'bigint' | 'bytes' | 'date'; readonly value: string }
  | { readonly type: 'list'; readonly value: readonly TypedJson[] }
  | { readonly type: 'table'; readonly value: readonly (readonly [name: string, value: TypedJson])[] }

export function typedJson(value: unknown, depth: number = 0): TypedJson {
  if (typeof value === 'boolean') return { type: 'boolean', value }
  if (typeof value === 'string') return { type: 'string', value }
  if (typeof value === 'number') return { type: 'number', value: Object.is(value, -0) ? '-0' : String(value) }
  if (typeof value === 'bigint') return { type: 'bigint', value: String(value) }
  if (value instanceof Uint8Array) return { type: 'bytes', value: base64(value) }
  if (value instanceof Date) return { type: 'date', value: String(value.getTime()) }
  if (typeof value !== 'object' || value === null || depth === deepest) return { type: 'null' }
  if (Array.isArray(value)) return { type: 'list', value: value.map((item) => typedJson(item, depth + 1)) }
  return { type: 'table', value: Object.entries(value).map(([name, item]) => [name, typedJson(item, depth + 1)]) }
}

/** The other way round. Total: what no `typedJson` has written is `undefined`, and inside of a list or a table it is null. */
export function fromTypedJson(json: unknown, depth: number = 0): HeaderValue | undefined {
  if (typeof json !== 'object' || json === null || depth > deepest) return undefined
  const { type, value } = json as { readonly type?: unknown; readonly value?: unknown }
  if (type === 'null') return null
  if (type === 'boolean' && typeof value === 'boolean') return value
  if (type === 'list' && Array.isArray(value)) return value.map((item) => fromTypedJson(item, depth + 1) ?? null)
  if (type === 'table' && Array.isArray(value)) return tableOf(value, depth)
  return typeof value === 'string' ? fromText(type, value) : undefined
}

function fromText(type: unknown, value: string): HeaderValue | undefined {
  if (type === 'string') return value
  if (type === 'number') return Number(value)
  if (type === 'bigint') return /^-?\d{1,400}$/.test(value) ? BigInt(value) : undefined
  if (type === 'bytes') return fromBase64(value)
  return type === 'date' ? new Date(Number(value)) : undefined
}

/** `fromEntries` defines members, so that a table with a member `__proto__` stays a table. */
function tableOf(entries: readonly unknown[], depth: number): HeaderValue {
  return Object.fromEntries(
    entries.flatMap((entry) =>
      Array.isArray(entry) && typeof entry[0] === 'string' ? [[entry[0], fromTypedJson(entry[1], depth + 1) ?? null]] : [],
    ),
  )
}
