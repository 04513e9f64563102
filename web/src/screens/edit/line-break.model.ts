const breaks = /\r\n?|\n/g

/** What ends the lines of a text; `undefined` where they end in several ways, which no editor keeps. */
export function lineBreakOf(text: string): string | undefined {
  const found = new Set(text.match(breaks))
  const [one = '\n'] = found
  return found.size > 1 ? undefined : one
}

/** As editors have it. */
export function withPlainBreaks(text: string): string {
  return text.replaceAll(breaks, '\n')
}
