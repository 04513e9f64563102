import { parseDuration } from './duration.ts'
import { RedriveError } from './errors.ts'
import { badOption, type Check, guarded } from './options.ts'
import { parseSize } from './size.ts'
import { isArray, warilyRead } from './wary.ts'

export interface Range {
  readonly min: number
  readonly max: number
}

export function wholeNumber(range: Range): Check<number> {
  return (value, where) => {
    if (Number.isSafeInteger(value) && isWithin(Number(value), range)) return Number(value)
    throw badOption(where, value, `a whole number from ${range.min} to ${range.max}`)
  }
}

export function numberWithin(range: Range): Check<number> {
  return (value, where) => {
    if (typeof value === 'number' && isWithin(value, range)) return value
    throw badOption(where, value, `a number from ${range.min} to ${range.max}`)
  }
}

export function oneOf<const T extends string>(allowed: readonly T[]): Check<T> {
  return (value, where) => {
    const found = allowed.find((candidate) => candidate === value)
    if (found !== undefined) return found
    throw badOption(where, value, allowed.map((candidate) => `"${candidate}"`).join(', '))
  }
}

/** Milliseconds. The range is given as text, such as `{ min: '1s', max: '1h' }`, because the message shows it. */
export function durationWithin(range: { readonly min: string; readonly max: string }): Check<number> {
  const bounds = { min: parseDuration(range.min, 'min'), max: parseDuration(range.max, 'max') }
  return (value, where) => {
    const ms = parseDuration(textOrNumber(value, where, 'a duration such as "30s"'), where)
    if (isWithin(ms, bounds)) return ms
    throw badOption(where, value, `a duration from ${range.min} to ${range.max}`)
  }
}

/** Bytes. The range is given as text, as with `durationWithin`. */
export function sizeWithin(range: { readonly min: string; readonly max: string }): Check<number> {
  const bounds = { min: parseSize(range.min, 'min'), max: parseSize(range.max, 'max') }
  return (value, where) => {
    const bytes = parseSize(textOrNumber(value, where, 'a size such as "64KiB"'), where)
    if (isWithin(bytes, bounds)) return bytes
    throw badOption(where, value, `a size from ${range.min} to ${range.max}`)
  }
}

export const flag: Check<boolean> = (value, where) => {
  if (typeof value === 'boolean') return value
  throw badOption(where, value, 'true or false')
}

/** Whether it really takes and gives what the type says, nobody can see. */
export function aFunction<T>(value: unknown, where: string): T {
  if (typeof value === 'function') return value as T
  throw badOption(where, value, 'a function')
}

/** An object of the user's, known by its methods; `what` says what it should be, such as `a clock`. */
export function objectWith<T>(methods: readonly (keyof T & string)[], what: string): Check<T> {
  return (value, where) => {
    if (methods.every((name) => typeof warilyRead(value, name) === 'function')) return value as T
    throw badOption(where, value, what)
  }
}

export function anObject<T extends object>(value: unknown, where: string): T {
  if (typeof value === 'object' && value !== null) return value as T
  throw badOption(where, value, 'an object')
}

export function text(longest: number): Check<string> {
  return (value, where) => {
    if (typeof value === 'string' && value.trim() !== '' && value.length <= longest) return value
    throw badOption(where, value, `text of 1 to ${longest} characters`)
  }
}

/** A password or a key: unlike all other values it is not shown when it is refused. */
export function secret(longest: number): Check<string> {
  return (value, where) => {
    if (typeof value === 'string' && value.length <= longest && /^[^\p{Cc}]+$/u.test(value)) return value
    throw new RedriveError('bad-option', `${where} is not text of 1 to ${longest} characters without line breaks.`)
  }
}

export function listOf<T>(item: Check<T>, longest: number): Check<readonly T[]> {
  return (value, where) => {
    const items = isArray(value) ? guarded(where, () => takeItems(value, longest + 1)) : undefined
    if (items === undefined || items.length > longest) throw badOption(where, value, `an array of at most ${longest} items`)
    return items.map((one, index) => item(one, `${where}[${index}]`))
  }
}

/** Values by names of the user's own. */
export function recordOf<T>(name: Check<string>, item: Check<T>, most: number): Check<Readonly<Record<string, T>>> {
  return (value, where) => {
    if (typeof value !== 'object' || value === null || isArray(value)) throw badOption(where, value, 'names with their values')
    const entries = guarded(where, () => Object.entries(value))
    if (entries.length > most) throw new RedriveError('bad-option', `${where} holds more than ${most} names.`)
    return Object.fromEntries(entries.map(([key, one]) => [name(key, where), item(one, `${where}.${key}`)]))
  }
}

/** A proxy may claim any length, so an array is only looked at as far as it may be long. */
function takeItems(items: readonly unknown[], most: number): readonly unknown[] {
  return Array.from({ length: Math.min(items.length, most) }, (_, index) => items[index])
}

function textOrNumber(value: unknown, where: string, allowed: string): string | number {
  if (typeof value === 'string' || typeof value === 'number') return value
  throw badOption(where, value, allowed)
}

function isWithin(value: number, { min, max }: Range): boolean {
  return value >= min && value <= max
}
