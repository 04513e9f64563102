import { RedriveError } from '../core/errors.ts'
import { isArray } from '../core/wary.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** `${NAME}`, `${NAME:-default}`; a second dollar sign before it keeps it as it is. */
const placeholder = /(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/**
 * Replaces placeholders in every text of a document that has been read already, so that no value can become more than text.
 * `path` says where in the document that is, and is what errors name; values never are, since they may be secrets.
 */
export function substitute(value: unknown, environment: Environment, path = ''): unknown {
  if (typeof value === 'string') return fill(value, environment, path)
  if (isArray(value)) return value.map((item, index) => substitute(item, environment, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    substitute(inner, environment, path === '' ? key : `${path}.${key}`),
  ])
  return Object.fromEntries(entries)
}

function fill(text: string, environment: Environment, path: string): string {
  return text.replace(placeholder, (whole, dollar: string, name: string, fallback: string | undefined) => {
    if (dollar !== '') return whole.slice(1)
    const found = environment[name] ?? fallback
    if (found !== undefined) return found
    throw new RedriveError('bad-option', `${path} needs the environment variable ${name}, which is not set.`)
  })
}
