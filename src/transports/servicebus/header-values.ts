import { fromTypedJson, typedJson } from '../../core/dialects/typed-json.ts'
import { RedriveError } from '../../core/errors.ts'
import type { HeaderValue } from '../../core/message.ts'
import type { RheaTypes, Typed } from './rhea.ts'

/**
 * Header values as AMQP 1.0 writes them. Whole numbers of 64 bits are bigints, all others are numbers; a type that the value does
 * not tell by itself is given beside it, so that a replay writes what was read.
 */
export interface Decoded {
  readonly value: HeaderValue
  /** Absent where `encodeHeader` would choose it anyway. */
  readonly type?: string
}

/** AMQP allows simple values only in this place; lists and tables travel as text, and a header of ours names them. */
export const isNested = (value: HeaderValue): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array) && !(value instanceof Date)

export const nestedText = (value: HeaderValue): string => JSON.stringify(typedJson(value))

export function fromNestedText(text: string): HeaderValue {
  try {
    return fromTypedJson(JSON.parse(text)) ?? text
  } catch {
    return text
  }
}

const int32 = { min: -(2 ** 31), max: 2 ** 31 - 1 }

/** The names of AMQP's types as rhea has them, without their widths on the wire. */
const families: Readonly<Record<string, string>> = {
  ...{ Ubyte: 'ubyte', Ushort: 'ushort', Uint: 'uint', SmallUint: 'uint', Uint0: 'uint', Byte: 'byte', Short: 'short' },
  ...{ Ulong: 'ulong', SmallUlong: 'ulong', Ulong0: 'ulong', Long: 'long', SmallLong: 'long', Int: 'int', SmallInt: 'int' },
  ...{ Float: 'float', Double: 'double', Uuid: 'uuid', Sym8: 'symbol', Sym32: 'symbol', Timestamp: 'timestamp' },
}

export function decodeHeader({ type, value }: Typed): Decoded {
  const family = families[type.name]
  switch (family) {
    case 'long':
      return { value: wide(value, true) }
    case 'ulong':
      return { value: wide(value, false), type: family }
    case 'uuid':
      return { value: uuidText(value as Buffer), type: family }
    case 'timestamp':
      return { value: new Date(value as number) }
    case 'int':
      return { value: value as number }
    case 'double':
      return isInt(value as number) ? { value: value as number, type: family } : { value: value as number }
    case undefined:
      return { value: plain(value) }
    default:
      return { value: value as HeaderValue, type: family }
  }
}

/** Without its type: as good as the SDK gives it. */
export function plain(value: unknown): HeaderValue {
  return (value === undefined ? null : value) as HeaderValue
}

export function encodeHeader(types: RheaTypes, name: string, value: HeaderValue, type?: string): Typed {
  const typed = type === undefined ? undefined : encodeAs(types, type, value)
  if (typed) return typed
  if (typeof value === 'number') return isInt(value) ? types.wrap_int(value) : types.wrap_double(value)
  if (typeof value === 'bigint') return types.wrap_long(int64(name, value))
  if (typeof value === 'string') return types.wrap_string(value)
  if (value instanceof Date) return types.wrap_timestamp(timeOf(name, value))
  if (value instanceof Uint8Array) return types.wrap_binary(Buffer.from(value))
  if (value === null || typeof value === 'boolean') return types.wrap(value)
  return types.wrap_string(nestedText(value))
}

/** Nothing where the value was changed to one that this type cannot hold. */
function encodeAs(types: RheaTypes, type: string, value: HeaderValue): Typed | undefined {
  if (type === 'symbol' && typeof value === 'string') return types.wrap_symbol(value)
  if (type === 'uuid' && typeof value === 'string') return uuid(types, value)
  if (type === 'ulong' && typeof value === 'bigint' && value >= 0n && value < 2n ** 64n) return types.wrap_ulong(bits(value))
  if (typeof value !== 'number') return undefined
  if (type === 'double') return types.wrap_double(value)
  if (type === 'float') return Object.is(Math.fround(value), value) ? types.wrap_float(value) : undefined
  return wholeAs(types, type, value)
}

const ranges = {
  ubyte: [0, 2 ** 8],
  ushort: [0, 2 ** 16],
  uint: [0, 2 ** 32],
  byte: [-(2 ** 7), 2 ** 7],
  short: [-(2 ** 15), 2 ** 15],
} as const

function wholeAs(types: RheaTypes, type: string, value: number): Typed | undefined {
  if (!Object.hasOwn(ranges, type)) return undefined
  const known = type as keyof typeof ranges
  const [min, end] = ranges[known]
  return Number.isInteger(value) && value >= min && value < end ? types[`wrap_${known}`](value) : undefined
}

function isInt(value: number): boolean {
  return Number.isInteger(value) && value >= int32.min && value <= int32.max && !Object.is(value, -0)
}

/** Rhea gives a whole number beyond 2^53 as its bytes. */
function wide(value: unknown, signed: boolean): bigint {
  if (!Buffer.isBuffer(value)) return BigInt(value as number)
  return signed ? value.readBigInt64BE(0) : value.readBigUInt64BE(0)
}

function bits(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value))
  return bytes
}

function int64(name: string, value: bigint): Buffer {
  if (BigInt.asIntN(64, value) === value) return bits(value)
  throw new RedriveError('bad-message', `Service Bus cannot hold the header "${name}": it does not fit into 64 bits.`)
}

function timeOf(name: string, value: Date): number {
  const time = value.getTime()
  if (Number.isInteger(time)) return time
  throw new RedriveError('bad-message', `Service Bus cannot hold the header "${name}": it is no valid date.`)
}

function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function uuid(types: RheaTypes, value: string): Typed | undefined {
  const hex = value.replaceAll('-', '')
  return /^[0-9a-f]{32}$/i.test(hex) ? types.wrap_uuid(Buffer.from(hex, 'hex')) : undefined
}
