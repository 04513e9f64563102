import { RedriveError } from './errors.ts'
import { show } from './shown-value.ts'

/** Milliseconds, or text such as `250ms`, `30s`, `5m`, `1h30m`, `2d` or `00:00:05`. */
export type Duration = number | string

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const units = [
  ['d', day],
  ['h', hour],
  ['m', minute],
  ['s', second],
  ['ms', 1],
] as const

const part = (unit: string): string => `(?:(\\d+(?:\\.\\d+)?)${unit})?`
const withUnits = new RegExp(`^${units.map(([unit]) => part(unit)).join('')}$`)
/** The form that seed 001 configures its waits in. */
const asClock = /^(\d{1,3}):([0-5]\d):([0-5]\d)$/
/** Longer text is never a duration, and is not worth a look. */
const longestText = 64

const allowed = 'a number of milliseconds from 0, or text such as "250ms", "30s", "5m", "1h30m", "2d" or "00:00:05"'

/** Milliseconds. `field` is what the error names when the value is no duration. */
export function parseDuration(value: Duration, field: string): number {
  const ms = typeof value === 'string' ? fromText(value) : value
  if (typeof ms === 'number' && ms >= 0 && ms <= Number.MAX_SAFE_INTEGER) return ms
  throw new RedriveError('bad-option', `${field} is ${show(value)}, which is not a duration. Allowed: ${allowed}.`)
}

function fromText(text: string): number | undefined {
  if (text === '' || text.length > longestText) return undefined
  return fromClock(text) ?? fromUnits(text)
}

function fromClock(text: string): number | undefined {
  const found = asClock.exec(text)
  if (!found) return undefined
  const [, hours, minutes, seconds] = found
  return Number(hours) * hour + Number(minutes) * minute + Number(seconds) * second
}

function fromUnits(text: string): number | undefined {
  const found = withUnits.exec(text)
  if (!found) return undefined
  return units.reduce((sum, [, ms], index) => sum + Number(found[index + 1] ?? 0) * ms, 0)
}

/** The shortest text that `parseDuration` reads back as the same whole number of milliseconds. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return 'no limit'
  let rest = Math.max(0, Math.round(ms))
  let text = ''
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size)
    if (count > 0) text += `${count}${unit}`
    rest -= count * size
  }
  return text || '0ms'
}
