import { FilterError } from './filter-error.ts'

/** Reads a filter from left to right, each character once. */
export interface Scanner {
  /** The index of the next character. */
  at(): number
  isAtEnd(): boolean
  /** Whether the text goes on with this. */
  sees(text: string): boolean
  /** Whether this word stands next, and no longer one. */
  seesWord(word: string): boolean
  /** Takes the text if it goes on with it. */
  takes(text: string): boolean
  /** Takes everything up to the next character that one of these is, or a space. */
  takeUntil(delimiters: string): string
  /** Takes spaces; says whether there were any. */
  takeSpaces(): boolean
  /** Takes a quoted text, in which two quotes stand for one and everything else for itself. The next character must be a quote. */
  takeQuoted(): string
  seesSpace(): boolean
  /** Reads on from an earlier place. */
  back(at: number): void
  /** An error about the next character, or another. */
  fail(problem: string, at?: number): FilterError
}

const space = /\s/

export function createScanner(text: string): Scanner {
  let next = 0
  const current = (): string => text.charAt(next)
  const isAtEnd = (): boolean => next >= text.length
  const seesSpace = (): boolean => space.test(current())
  const fail = (problem: string, at = next): FilterError => new FilterError(text, at, problem)
  const sees = (wanted: string): boolean => text.startsWith(wanted, next)
  const takes = (wanted: string): boolean => {
    const found = sees(wanted)
    if (found) next += wanted.length
    return found
  }
  return {
    at: () => next,
    isAtEnd,
    sees,
    takes,
    seesWord: (word) => sees(word) && /^[\s()]?$/.test(text.charAt(next + word.length)),
    seesSpace,
    back: (at) => {
      next = at
    },
    fail,
    takeUntil(delimiters) {
      const start = next
      while (!isAtEnd() && !seesSpace() && !delimiters.includes(current())) next++
      return text.slice(start, next)
    },
    takeSpaces() {
      const start = next
      while (seesSpace()) next++
      return next > start
    },
    takeQuoted() {
      const start = next
      let content = ''
      do {
        const end = text.indexOf('"', next + 1)
        if (end < 0) throw fail('This quote is never closed.', start)
        content += text.slice(next === start ? next + 1 : next, end)
        next = end + 1
      } while (sees('"'))
      return content
    },
  }
}
