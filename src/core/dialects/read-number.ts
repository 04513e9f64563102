import { headerText } from '../headers.ts'
import type { HeaderValue } from '../message.ts'

/** A whole number of at most 18 digits, however it was written; `undefined` for anything else. */
export function wholeNumber(value: HeaderValue): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  const text = headerText(value)?.trim()
  return text !== undefined && /^-?\d{1,18}$/.test(text) ? BigInt(text) : undefined
}

/**
 * A number as Spring writes it: four or eight bytes with the highest first, or as few as it needs. Bytes of another length that are all
 * digits are text, as other clients write it.
 */
export function bigEndian(value: HeaderValue): bigint | undefined {
  if (!(value instanceof Uint8Array)) return wholeNumber(value)
  const { length } = value
  const isFixed = length === 4 || length === 8
  if (length === 0 || length > 8 || (!isFixed && value.every(isDigit))) return wholeNumber(value)
  return BigInt.asIntN(
    8 * length,
    value.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n),
  )
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** A count, which is never negative nor beyond what a number holds. */
export function asCount(value: bigint | undefined): number | undefined {
  return value === undefined || value < 0n || value > 2_147_483_647n ? undefined : Number(value)
}
