/** Every filter is a statement of its own, and nobody asks for most of them twice. */
const mostKnown = 1024

const known = new Map<string, string>()

/** `?` as PostgreSQL numbers them, but for those within quotes. */
export function numbered(text: string): string {
  const before = known.get(text)
  if (before !== undefined) return before
  let count = 0
  const after = text.replace(/'[^']*'|\?/g, (found) => (found === '?' ? `$${++count}` : found))
  const [oldest] = known.keys()
  if (known.size >= mostKnown && oldest !== undefined) known.delete(oldest)
  known.set(text, after)
  return after
}
