import { findText } from './find-text.ts'

/**
 * A text in which `*` stands for any characters, or none, as the pieces between the stars: `dlq.*` is `['dlq.', '']`, and a text without a star is
 * one piece. So every other character is only itself, whatever it means to a database. Letter case counts, as it does to brokers.
 */
export type Pattern = readonly string[]

/** Pieces are found from left to right, so that a text is gone through once for each. */
export function matchesPattern(pattern: Pattern, text: string): boolean {
  const first = pattern[0] ?? ''
  if (pattern.length <= 1) return text === first
  const last = pattern.at(-1) ?? ''
  if (!text.startsWith(first)) return false
  let from = first.length
  for (const piece of pattern.slice(1, -1)) {
    const at = findText(text, piece, from)
    if (at < 0) return false
    from = at + piece.length
  }
  return from <= text.length - last.length && text.endsWith(last)
}
