/** No word of a filter or of a letter holds it: `words.ts` takes letters, digits and marks. */
const mark = '\uE001'
/** All but what stands between two texts. */
const word = /[^ \uE000]+/g

/**
 * The words of headers as SQLite is given them. Its full-text index keeps one list of places for each word, whatever column it stands in: a failure that
 * says what a million headers say would be looked for among all of those. With a mark it is another word, which has a list of its own.
 */
export function headerWords(words: string): string {
  return words.replace(word, `${mark}$&`)
}
