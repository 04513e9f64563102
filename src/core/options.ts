import { RedriveError } from './errors.ts'
import { nearest } from './nearest.ts'
import { show } from './shown-value.ts'
import { isArray } from './wary.ts'

/**
 * How every option of Redrive is read: unknown names are refused with the name that was probably meant, and a bad value is
 * refused with its full path, the value and what is allowed. Whatever is passed in, nothing but a `RedriveError` is thrown.
 */
export interface OptionReader<Key extends string> {
  /** Whether the option was given; `undefined` is the same as not given. */
  has(key: Key): boolean
  /** The full path of an option, such as `channel "orders": retry.delayed.retries`. */
  where(key: Key): string
  read<T>(key: Key, check: Check<T>, fallback: T): T
  required<T>(key: Key, check: Check<T>): T
  /** An option that holds options of its own; one that was not given reads as empty. */
  nested<Inner extends string>(key: Key, allowed: readonly Inner[]): OptionReader<Inner>
}

/** Gives the value as its own type, or throws a `bad-option` that names `where`. */
export type Check<T> = (value: unknown, where: string) => T

/** `where` says whose options these are, such as `channel "orders"`. Not given at all reads as empty. */
export function readOptions<Key extends string>(options: unknown, allowed: readonly Key[], where: string): OptionReader<Key> {
  return reader(options, allowed, where, `${where}: `)
}

/** Options that stand inside an option, such as the items of a list: `where` is already a path. */
export function readInnerOptions<Key extends string>(
  options: unknown,
  allowed: readonly Key[],
  where: string,
): OptionReader<Key> {
  return reader(options, allowed, where, `${where}.`)
}

function reader<Key extends string>(options: unknown, allowed: readonly Key[], where: string, prefix: string): OptionReader<Key> {
  const values = snapshot(options, allowed, where, prefix)
  const path = (key: Key): string => `${prefix}${key}`
  return {
    has: (key) => values.get(key) !== undefined,
    where: path,
    read: (key, check, fallback) => (values.get(key) === undefined ? fallback : check(values.get(key), path(key))),
    required(key, check) {
      if (values.get(key) === undefined) throw new RedriveError('bad-option', `${path(key)} is missing; it must be given.`)
      return check(values.get(key), path(key))
    },
    nested: (key, inner) => readInnerOptions(values.get(key), inner, path(key)),
  }
}

/** Reads every allowed option once, so that a getter cannot answer the check with one value and the use with another. */
function snapshot<Key extends string>(
  options: unknown,
  allowed: readonly Key[],
  where: string,
  prefix: string,
): ReadonlyMap<Key, unknown> {
  if (options === undefined) return new Map()
  if (!canHoldOptions(options)) throw badOption(where, options, `an object with ${list(allowed)}`)
  checkKeys(options, allowed, where, prefix)
  return new Map(allowed.map((key) => [key, guarded(`${prefix}${key}`, () => Reflect.get(options, key))]))
}

function checkKeys(options: object, allowed: readonly string[], where: string, prefix: string): void {
  for (const key of guarded(where, () => Object.keys(options))) {
    if (!allowed.includes(key)) throw unknownOption(key, allowed, prefix)
  }
}

function unknownOption(key: string, allowed: readonly string[], prefix: string): RedriveError {
  const meant = nearest(key, allowed)
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  return new RedriveError('unknown-option', `${prefix}${shownKey(key)} is not an option.${hint} Allowed: ${list(allowed)}.`)
}

/** A key reads as a part of its path, unless it is not the kind of text that can stand there. */
function shownKey(key: string): string {
  return /^[\w$-]{1,60}$/.test(key) ? key : show(key)
}

function canHoldOptions(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isArray(value)
}

/** Getters and proxies are the user's code and may throw anything. */
export function guarded<T>(where: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new RedriveError('bad-option', `${where} cannot be read: its getter or proxy threw.`, { cause })
  }
}

export function badOption(where: string, value: unknown, allowed: string): RedriveError {
  return new RedriveError('bad-option', `${where} is ${show(value)}. Allowed: ${allowed}.`)
}

function list(words: readonly string[]): string {
  return words.join(', ')
}
