import { bytesArray, textArray, typeNumbers } from '../../platform/postgres/binary-array.ts'
import type { Value } from '../sql.ts'

/** A column of values as one parameter; where nobody has a value there is no type either, and none is needed. */
export interface BinaryArray {
  readonly type: keyof typeof typeNumbers
  readonly bytes: Buffer
}

/** Columns of the vault are of one type each, and its numbers are whole. */
export function binaryArray(values: readonly Value[]): BinaryArray | undefined {
  const known = values.find((value) => value !== null)
  if (known === undefined || known === null) return undefined
  if (typeof known === 'string') return { type: 'text', bytes: textArray(values as readonly (string | null)[]) }
  if (typeof known === 'number') return { type: 'bigint', bytes: bytesArray(typeNumbers.bigint, values.map(wholeNumber)) }
  return { type: 'bytea', bytes: bytesArray(typeNumbers.bytea, values as readonly (Uint8Array | null)[]) }
}

function wholeNumber(value: Value): Uint8Array | null {
  if (value === null) return null
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigInt64BE(BigInt(value as number))
  return bytes
}
