import type { Text } from './filter.ts'
import { endsHere, mustEnd } from './read-value.ts'
import type { Scanner } from './scanner.ts'
import { wordsOf } from './words.ts'

/** What ends a word that is not in quotes, besides a space. */
const ends = '*()"'
/** Shorter beginnings are those of too many words to be of use. */
const shortestBeginning = 3
const endsInWord = /[\p{L}\p{N}\p{M}]$/u

/** A word or a quoted phrase, with a star behind it where its last word may go on. */
export function readText(scanner: Scanner, where: Text['where']): Text {
  const start = scanner.at()
  const written = scanner.sees('"') ? scanner.takeQuoted() : scanner.takeUntil(ends)
  const open = takesStar(scanner)
  mustEnd(scanner)
  const words = wordsOf(written)
  const last = words.at(-1)
  if (last === undefined) throw scanner.fail('There is no letter and no digit in this text to search for.', start)
  if (open && (last.length < shortestBeginning || !endsInWord.test(written)))
    throw scanner.fail(`At least ${shortestBeginning} letters or digits must stand directly before the star.`, start)
  return { kind: 'text', where, words, open }
}

function takesStar(scanner: Scanner): boolean {
  const star = scanner.at()
  if (!scanner.takes('*')) return false
  if (endsHere(scanner)) return true
  throw scanner.fail('In text, a star may only end the last word. Put it in "quotes" to mean the character.', star)
}
