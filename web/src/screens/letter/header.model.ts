import { seen } from '../../parts/seen.model.ts'

const longest = 2000

/** The value of a header in one line; bytes, dates and large integers as the API writes them. */
export function headerText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return seen(text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text)
}
