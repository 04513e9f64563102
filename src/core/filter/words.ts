/** Letters, digits, and the marks that belong to letters. */
const word = /[\p{L}\p{N}\p{M}]+/gu
/** Accents of Latin, Greek and Cyrillic. The marks of other scripts are vowels, and tell words apart. */
const accents = /[\u0300-\u036f]/g

/**
 * The words of a text as full text compares them: without case, accents and everything between words. What is searched and what is
 * searched for must both come through here, so that they agree; the words of words are the same words.
 */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFD').replace(accents, '').toLowerCase().replace(accents, '').normalize('NFC')
  return plain.match(word) ?? []
}
