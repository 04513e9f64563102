import { RedriveError } from './errors.ts'
import { show } from './shown-value.ts'

/** Bytes, or text such as `512B`, `64KiB` (1,024 each) or `1MB` (1,000 each). */
export type Size = number | string

const units: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
}

const withUnit = /^(\d{1,16}(?:\.\d{1,6})?)([kmg]?i?b)$/
const allowed = 'a whole number of bytes from 0, or text such as "512B", "64KiB", "1MB" or "2GiB"'

/** Whole bytes; a fraction of a byte is rounded down. `field` is what the error names when the value is no size. */
export function parseSize(value: Size, field: string): number {
  const bytes = typeof value === 'string' ? fromText(value) : value
  if (Number.isSafeInteger(bytes) && Number(bytes) >= 0) return Number(bytes)
  throw new RedriveError('bad-option', `${field} is ${show(value)}, which is not a size. Allowed: ${allowed}.`)
}

function fromText(text: string): number | undefined {
  const [, count, unit] = withUnit.exec(text.slice(0, 32).toLowerCase()) ?? []
  const factor = unit === undefined ? undefined : units[unit]
  return factor === undefined || text.length > 32 ? undefined : Math.floor(Number(count) * factor)
}
