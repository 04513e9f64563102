/** What keeps a text from being JSON, at the place where a reader would stumble. */
export interface JsonMistake {
  readonly at: number
  readonly text: string
}

/** Deeper than any message that people edit by hand, and shallow enough to be read by recursion. */
const deepest = 2000

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const words = /true|false|null/y
// Characters that a string may hold as they are, and those that stand behind a backslash.
const plain = /[^"\\\u0000-\u001f]*/y
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y
const space = /[ \t\n\r]*/y

/**
 * Browsers do not always tell where JSON is broken, and each in other words. This reads the text from the left, agrees with `JSON.parse` about what
 * is JSON, and says where it stopped.
 */
export function findJsonMistake(text: string): JsonMistake | undefined {
  let at = 0

  function skip(pattern: RegExp): boolean {
    pattern.lastIndex = at
    if (!pattern.test(text)) return false
    at = pattern.lastIndex
    return true
  }

  function skipTo(character: string): boolean {
    skip(space)
    if (text[at] !== character) return false
    at++
    return true
  }

  function wrong(expected: string): JsonMistake {
    const found = text[at]
    return { at, text: found === undefined ? `The text ends where ${expected} is expected.` : `${expected} is expected here.` }
  }

  function string(): JsonMistake | undefined {
    const begin = at
    at++
    for (;;) {
      skip(plain)
      if (text[at] === '"') return void at++
      if (text[at] === undefined) return { at: begin, text: 'This text in quotes has no end.' }
      if (text[at] === '\\' ? !skip(escaped) : true) return { at, text: badCharacter(text[at] ?? '') }
    }
  }

  function list(close: string, item: () => JsonMistake | undefined): JsonMistake | undefined {
    at++
    if (skipTo(close)) return undefined
    for (;;) {
      const mistake = item()
      if (mistake) return mistake
      if (skipTo(close)) return undefined
      if (!skipTo(',')) return wrong(`A comma or ${close}`)
    }
  }

  function value(depth: number): JsonMistake | undefined {
    skip(space)
    if (depth > deepest) return { at, text: 'This is too deep to be checked here.' }
    if (text[at] === '{') return list('}', () => member(depth))
    if (text[at] === '[') return list(']', () => value(depth + 1))
    if (text[at] === '"') return string()
    return skip(number) || skip(words) ? undefined : wrong('A value')
  }

  function member(depth: number): JsonMistake | undefined {
    skip(space)
    if (text[at] !== '"') return wrong('A name in quotes')
    return string() ?? (skipTo(':') ? value(depth + 1) : wrong('A colon'))
  }

  const mistake = value(0)
  if (mistake) return mistake
  skip(space)
  return at < text.length ? { at, text: 'The value has ended before this.' } : undefined
}

function badCharacter(found: string): string {
  return found === '\\'
    ? 'No such sign stands behind a backslash.'
    : 'A line break or control character must be written as \\n, \\t or \\u….'
}
