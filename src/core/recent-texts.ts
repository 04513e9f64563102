/** A failure has a few texts: what was thrown, the reason that a handler gave, the name of the class. */
const kept = 4

/**
 * Many messages fail with the same words one after the other: keeps what a pure function made of the last few texts, so that it is not
 * made again.
 */
export function forRecentTexts<T>(make: (text: string) => T): (text: string) => T {
  const recent: { readonly text: string; readonly made: T }[] = []
  let oldest = 0
  return (text) => {
    for (const each of recent) if (each.text === text) return each.made
    const made = make(text)
    recent[oldest] = { text, made }
    oldest = (oldest + 1) % kept
    return made
  }
}
