import { isArray } from './wary.ts'

const longestQuote = 60

/** A value as an error message may show it: short, on one line, and never a throw, whatever was given. */
export function show(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === undefined || value === null) return String(value)
  if (typeof value === 'object') return isArray(value) ? 'an array' : 'an object'
  return `a ${typeof value}`
}

function quote(text: string): string {
  return text.length <= longestQuote ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, longestQuote))}…`
}
