import { z } from 'zod'
import { parseDuration } from '../core/duration.ts'
import { hasCode } from '../core/errors.ts'
import { isOnThisMachine } from '../core/server-url.ts'

/** What fields of the configuration file are made of. The `error` of each is what a mistake names as allowed. */

export function text(longest: number): z.ZodString {
  const error = `text of 1 to ${longest} characters`
  return z.string({ error }).min(1, { error }).max(longest, { error })
}

/** What the environment fills is text, so a number may be written as one. */
export function wholeNumber(min: number, max: number): z.ZodType<number | string> {
  const error = `a whole number from ${min} to ${max}`
  const isWithin = (written: number | string): boolean => Number(written) >= min && Number(written) <= max
  const digits = z.string({ error }).regex(/^\d{1,15}$/, { error })
  return z.union([z.int({ error }).min(min, { error }).max(max, { error }), digits], { error }).refine(isWithin, { error })
}

/** For options that no environment fills. */
export function wholeNumberOnly(min: number, max: number): z.ZodType<number> {
  const error = `a whole number from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** The same for a truth. */
export function truth(): z.ZodType<boolean> {
  return z.boolean({ error: 'true or false' })
}

/** What the environment fills is text, so a truth may be written as one. */
export function flag(): z.ZodType<boolean | 'true' | 'false'> {
  return z.union([z.boolean(), z.enum(['true', 'false'])], { error: 'true or false' })
}

export function oneOf<const T extends readonly string[]>(words: T): z.ZodEnum<{ [Word in T[number]]: Word }> {
  return z.enum(words, { error: words.join(', ') })
}

/** Always with its unit: a bare number would be milliseconds, and `letters: 30` would keep nothing. */
export function span(min: string, max: string): z.ZodString {
  const error = `a duration from ${min} to ${max} with its unit, such as 30d or 12h, or forever`
  const isSpan = (written: string): boolean => written === 'forever' || isDuration(written, min, max)
  return z.string({ error }).refine(isSpan, { error })
}

/** The same where nothing lasts for ever. */
export function limitedSpan(min: string, max: string): z.ZodString {
  const error = `a duration from ${min} to ${max} with its unit, such as 30m or 12h`
  return z.string({ error }).refine((written) => isDuration(written, min, max), { error })
}

/** Where browsers find the server: an origin, without a path behind it. */
export function webOrigin(): z.ZodString {
  const error = 'an address such as https://redrive.example, without a path'
  return z.string({ error }).refine(isWebOrigin, { error })
}

function isWebOrigin(written: string): boolean {
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return false
  return url.username === '' && url.password === '' && (url.href === `${url.origin}/` || url.href === url.origin)
}

/** An issuer of OpenID Connect. Secrets and codes go there: in clear only on this machine. */
export function issuerUrl(): z.ZodString {
  const error = 'an address such as https://login.example/realms/ops; http:// only on this machine'
  return z.string({ error }).max(1000, { error }).refine(isIssuer, { error })
}

function isIssuer(written: string): boolean {
  const url = URL.parse(written)
  if (url?.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOnThisMachine(url.hostname))
}

function isDuration(written: string, min: string, max: string): boolean {
  try {
    const ms = parseDuration(written, 'duration')
    return ms >= parseDuration(min, 'min') && ms <= parseDuration(max, 'max')
  } catch (error) {
    if (hasCode(error, 'bad-option')) return false
    throw error
  }
}

export function list<T extends z.ZodType>(item: T, most: number): z.ZodArray<T> {
  const error = `a list of at most ${most} items`
  return z.array(item, { error }).max(most, { error })
}

export function section<T extends z.ZodRawShape>(shape: T): z.ZodObject<T, z.core.$strict> {
  return z.strictObject(shape, { error: `a mapping with ${Object.keys(shape).join(', ')}` })
}
