import { wordsOf } from '../core/filter/words.ts'

/** Of a larger body, only the beginning can be searched. Bytes. */
export const longestSearched = 65_536

/** The words of a body that is text in UTF-8; of any other, none. */
export function bodyWords(body: Uint8Array | null): string {
  if (body === null) return ''
  try {
    // As a stream: a character that the end cuts in two is left out, and no mistake.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body.subarray(0, longestSearched), { stream: true })
    return wordsOf(text).join(' ')
  } catch {
    return ''
  }
}
