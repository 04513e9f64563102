import { RedriveError } from '../core/errors.ts'
import { secret, text } from '../core/option-checks.ts'
import type { Check } from '../core/options.ts'

export const anHttpUrl: Check<URL> = (value, where) => {
  const parsed = URL.canParse(text(4000)(value, where)) ? new URL(String(value)) : undefined
  const isPlain = parsed?.username === '' && parsed.password === ''
  if (parsed && isPlain && (parsed.protocol === 'https:' || parsed.protocol === 'http:')) return parsed
  // The value is not shown: the path of a webhook is often its password.
  throw new RedriveError('bad-option', `${where} is not one that starts with https:// or http:// and holds no user and password.`)
}

/** What a header cannot carry is refused here, because the error of the library would quote it. */
export const anApiKey: Check<string> = (value, where) => {
  const key = secret(4096)(value, where)
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new RedriveError('bad-option', `${where} holds characters that no header can carry.`)
}

/** The same for a value that may hold spaces, such as `Bearer …`. */
export const aHeaderValue: Check<string> = (value, where) => {
  const text = secret(4096)(value, where)
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text
  throw new RedriveError('bad-option', `${where} holds characters that no header can carry.`)
}

export const aHeaderName: Check<string> = (value, where) => {
  if (typeof value === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(value)) return value
  throw new RedriveError('bad-option', `${where} is no name of a header: letters, digits and "-" are allowed.`)
}
