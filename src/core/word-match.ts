/** Text as phrases are looked for in it: in lower case, with every run of white space as one space. */
export function normaliseText(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim()
}

/**
 * Whether a phrase stands in a text as whole words; both normalised. A phrase is plain text and never a pattern, and the search
 * never goes back, so that the time is linear in the text whatever stands in it.
 */
export function containsPhrase(text: string, phrase: string): boolean {
  if (phrase === '') return false
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    if (!isWordCharacter(text, at - 1) && !isWordCharacter(text, at + phrase.length)) return true
  }
  return false
}

const wordCharacter = /[\p{L}\p{N}_]/u

function isWordCharacter(text: string, index: number): boolean {
  return index >= 0 && index < text.length && wordCharacter.test(text.charAt(index))
}
