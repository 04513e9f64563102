import { type Environment, fillPlaceholders } from '../config/environment.ts'
import { RedriveError } from '../core/errors.ts'
import { isArray } from '../core/wary.ts'

/**
 * Replaces placeholders in every text of a document that has been read already. `path` says where in the document that is, and is what errors
 * name; values never are, since they may be secrets.
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

function fill(value: string, environment: Environment, path: string): string {
  const { text, missing } = fillPlaceholders(value, environment)
  if (missing.length === 0) return text
  throw new RedriveError('bad-option', `${path} needs the environment variable ${missing[0]}, which is not set.`)
}
