import { globAnyCase } from './glob.ts'
import { isList, isTable } from './headers.ts'
import { createPaths, type Paths } from './mask-paths.ts'
import type { Headers, HeaderValue } from './message.ts'

/** Headers whose values nobody needs to see, in any system. `*` stands for any characters. */
export const maskedHeaderNames: readonly string[] = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  '*token*',
  '*secret*',
  '*password*',
  '*passwd*',
  '*credential*',
  '*api-key*',
  '*api_key*',
  '*apikey*',
  '*private-key*',
  '*private_key*',
  '*access-key*',
  '*access_key*',
  '*session*',
  '*signature*',
]

const mask = '•••'
/** Deeper than any real document, and shallow enough for any stack. */
const deepest = 64
/** A document with more values is not read by a person. */
const mostValues = 1_000_000

/** A copy of the headers in which the values of the named ones are masked, in nested tables too. */
export function maskHeaders(headers: Headers, rules: readonly string[] = maskedHeaderNames): Headers {
  const tests = rules.map(globAnyCase)
  const isMasked = (name: string): boolean => tests.some((test) => test(name))
  return headers.map(([name, value]) => [name, isMasked(name) ? masked(value) : maskInside(value, isMasked, 0)])
}

function maskInside(value: HeaderValue, isMasked: (name: string) => boolean, depth: number): HeaderValue {
  if (depth === deepest) return masked(value)
  if (isList(value)) return value.map((item) => maskInside(item, isMasked, depth + 1))
  if (!isTable(value)) return value
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([name, item]) => [name, isMasked(name) ? masked(item) : maskInside(item, isMasked, depth + 1)]),
  )
}

/**
 * A copy of a JSON value, or of the JSON in these bytes, in which what the paths name is masked. Never throws: where nothing can be
 * masked for certain (the bytes are not JSON, the value is too deep or too large to walk), all of it is masked. Whole numbers beyond 2^53 in
 * bytes come back as the nearest number that JSON.parse knows.
 */
export function maskJson(value: unknown, paths: readonly string[]): unknown {
  try {
    const json = value instanceof Uint8Array ? JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value)) : value
    const root = createPaths(paths)
    return root.end ? masked(json) : copy(json, root, { depth: 0, left: { values: mostValues } })
  } catch {
    return masked(value)
  }
}

interface Walk {
  readonly depth: number
  /** Shared by the whole walk. */
  readonly left: { values: number }
}

function copy(value: unknown, paths: Paths, { depth, left }: Walk): unknown {
  if (--left.values < 0) return mask
  if (typeof value !== 'object' || value === null) return value
  if (depth === deepest) return masked(value)
  const walk = { depth: depth + 1, left }
  const inside = (name: string, item: unknown): unknown => {
    const below = paths.enter(name)
    return below.end ? masked(item) : copy(item, below, walk)
  }
  if (Array.isArray(value)) return value.map((item, index) => inside(String(index), item))
  // Entries define properties and do not assign them, so that a field called __proto__ is a field like any other.
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inside(name, item)]))
}

/** Three dots, and what kind of value they hide unless it is text. Null hides nothing and stays. */
function masked(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return mask
  return `${mask} ${kindOf(value)}`
}

function kindOf(value: unknown): string {
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof Date) return 'date'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'bigint' ? 'number' : typeof value
}
