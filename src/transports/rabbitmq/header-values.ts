import { RedriveError } from '../../core/errors.ts'
import { isList, isTable } from '../../core/headers.ts'
import type { HeaderTable, HeaderValue } from '../../core/message.ts'

/** How the client library writes and reads a value whose type it cannot guess. */
interface Typed {
  readonly '!': string
  readonly value: unknown
}

/** The only types that come back from the library in this form. */
const keptTyped: ReadonlySet<string> = new Set(['decimal', 'timestamp'])
const longestDate = 8_640_000_000_000
const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }

/**
 * AMQP has whole numbers of several widths; the library reads them all as numbers, so those beyond 2^53 have been rounded
 * before we see them. As such a number was certainly a 64-bit integer, it is given as a bigint.
 */
export function decodeHeader(value: unknown): HeaderValue {
  if (typeof value === 'number') return isLong(value) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value as HeaderValue
  if (Array.isArray(value)) return value.map(decodeHeader)
  if (isTyped(value)) return fromTyped(value)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, decodeHeader(inner)]))
}

/** Refuses what AMQP, or the library, would give back as something else. */
export function encodeHeader(value: HeaderValue, name: string): unknown {
  if (typeof value === 'bigint') return fromBigint(value, name)
  if (typeof value === 'number') return fromNumber(value, name)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (value instanceof Date) return fromDate(value, name)
  if (isList(value)) return value.map((item) => encodeHeader(item, name))
  return isTable(value) ? fromTable(value, name) : value
}

function isLong(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 2 ** 63
}

function isTyped(value: object): value is Typed {
  return Object.hasOwn(value, '!')
}

function fromTyped(value: Typed): HeaderValue {
  const isDate = value['!'] === 'timestamp' && typeof value.value === 'number' && value.value <= longestDate
  return isDate ? new Date(Number(value.value) * 1000) : ({ ...value } as unknown as HeaderTable)
}

function fromBigint(value: bigint, name: string): Typed {
  if (value < int64.min || value > int64.max) throw refused(name, 'it does not fit into 64 bits')
  if (BigInt(Number(value)) !== value) throw refused(name, 'the client library would round it')
  return { '!': 'int64', value }
}

function fromNumber(value: number, name: string): unknown {
  if (isLong(value)) throw refused(name, 'a whole number beyond 2^53 must be a bigint')
  // The library would make 0 of -0, and fails on what is not finite.
  return Number.isFinite(value) && !Object.is(value, -0) ? value : { '!': 'double', value }
}

function fromDate(value: Date, name: string): Typed {
  const seconds = value.getTime() / 1000
  if (!Number.isInteger(seconds) || seconds < 0) throw refused(name, 'AMQP times are whole seconds since 1970')
  return { '!': 'timestamp', value: seconds }
}

function fromTable(value: HeaderTable, name: string): unknown {
  if (Object.hasOwn(value, '!')) {
    if (keptTyped.has(String(value['!']))) return value
    throw refused(name, 'the client library gives the key "!" a meaning of its own')
  }
  return Object.fromEntries(Object.entries(value).map(([inner, item]) => [inner, encodeHeader(item, name)]))
}

function refused(name: string, why: string): RedriveError {
  return new RedriveError('bad-message', `RabbitMQ cannot hold the header "${name}" as it is: ${why}.`)
}
