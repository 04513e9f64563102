import type { Value } from '../sql.ts'

/** What a column of values is on the wire: the name of its type, the server's number for it, and how a value is written. */
interface ElementType {
  readonly name: 'bigint' | 'text' | 'bytea'
  readonly number: number
  bytesOf(value: Exclude<Value, null>): Uint8Array
}

const whole: ElementType = {
  name: 'bigint',
  number: 20,
  bytesOf(value) {
    const bytes = Buffer.allocUnsafe(8)
    bytes.writeBigInt64BE(BigInt(value as number))
    return bytes
  },
}
const text: ElementType = { name: 'text', number: 25, bytesOf: (value) => Buffer.from(value as string) }
const binary: ElementType = { name: 'bytea', number: 17, bytesOf: (value) => value as Uint8Array }

/** A column of values as one parameter; where nobody has a value there is no type either, and none is needed. */
export interface BinaryArray {
  readonly type: ElementType['name']
  readonly bytes: Buffer
}

const headBytes = 20
const noValue = -1

/**
 * An array as the server itself sends one: no value is quoted or parsed, and a body takes as many bytes as it has. The library sends a `Buffer` as it
 * is, and says to the server that it is binary.
 */
export function binaryArray(values: readonly Value[]): BinaryArray | undefined {
  const type = typeOf(values)
  if (!type) return undefined
  const elements = values.map((value) => (value === null ? null : type.bytesOf(value)))
  const size = elements.reduce((sum, element) => sum + 4 + (element?.byteLength ?? 0), headBytes)
  const bytes = Buffer.allocUnsafe(size)
  writeHead(bytes, type, elements)
  let at = headBytes
  for (const element of elements) {
    at = bytes.writeInt32BE(element?.byteLength ?? noValue, at)
    if (!element) continue
    bytes.set(element, at)
    at += element.byteLength
  }
  return { type: type.name, bytes }
}

/** One dimension, whether there are nulls, the type, how many, and that the first is number 1. */
function writeHead(bytes: Buffer, { number }: ElementType, elements: readonly (Uint8Array | null)[]): void {
  const head = [1, Number(elements.includes(null)), number, elements.length, 1]
  for (const [place, part] of head.entries()) bytes.writeInt32BE(part, place * 4)
}

/** Columns of the vault are of one type each, and its numbers are whole. */
function typeOf(values: readonly Value[]): ElementType | undefined {
  const known = values.find((value) => value !== null)
  if (known === undefined || known === null) return undefined
  if (typeof known === 'number') return whole
  return typeof known === 'string' ? text : binary
}
