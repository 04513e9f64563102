import { headerText } from '../headers.ts'
import type { HeaderValue } from '../message.ts'
import { wholeNumber } from './read-number.ts'

/** ISO-8601 and what .NET and databases make of it; without an offset it is taken for UTC. */
const shape =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.:,](\d{1,9}))?)?)? ?(?:(Z|UTC|GMT)|([+-])(\d{2}):?(\d{2}))?$/

/** No clock on earth is farther from UTC. */
const farthestZone = 14

/** Epoch milliseconds, however the moment was written; `undefined` for anything that is no moment. */
export function readTime(value: HeaderValue): number | undefined {
  if (value instanceof Date) return inRange(value.getTime())
  const number = wholeNumber(value)
  if (number !== undefined) return fromEpoch(number)
  const text = typeof value === 'number' ? String(value) : (headerText(value)?.trim().slice(0, 64) ?? '')
  return fromFineEpoch(text) ?? fromIso(shape.exec(text) ?? [])
}

/** Seconds, milliseconds, microseconds or nanoseconds since 1970: the size of the number says which, for the next 250 years. */
export function fromEpoch(number: bigint): number | undefined {
  if (number <= 0n) return undefined
  if (number < 10_000_000_000n) return Number(number) * 1000
  if (number < 10_000_000_000_000n) return Number(number)
  if (number < 10_000_000_000_000_000n) return Number(number / 1000n)
  return Number(number / 1_000_000n)
}

/** Nanoseconds as Go writes them, and seconds with their fraction as Python does. */
function fromFineEpoch(text: string): number | undefined {
  if (/^\d{19}$/.test(text)) return fromEpoch(BigInt(text))
  return /^\d{9,10}\.\d{1,9}$/.test(text) ? Math.round(Number(text) * 1000) : undefined
}

function fromIso(parts: readonly (string | undefined)[]): number | undefined {
  const [
    whole,
    year,
    month,
    day,
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    ,
    sign,
    offsetHours = '0',
    offsetMinutes = '0',
  ] = parts
  if (whole === undefined) return undefined
  const fields = [Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)] as const
  const utc = new Date(Date.UTC(...fields, Number(fraction.padEnd(3, '0').slice(0, 3))))
  // The thirtieth of February is no moment, and would become one in March; so would the year 1, which .NET writes for "never", in 1901.
  const isMoved = utc.getUTCMonth() !== fields[1] || utc.getUTCDate() !== fields[2] || utc.getUTCHours() !== fields[3]
  if (isMoved || utc.getUTCFullYear() !== fields[0]) return undefined
  if (Number(offsetHours) > farthestZone || Number(offsetMinutes) > 59) return undefined
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  return inRange(utc.getTime() - (sign === '-' ? -offset : offset))
}

function inRange(at: number): number | undefined {
  return Number.isNaN(at) ? undefined : at
}
