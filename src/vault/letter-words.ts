import { cutToLength } from '../core/cut.ts'
import { letterHeaderNames } from '../core/dialects/letter-headers.ts'
import { decodeMessage, parseEnvelope } from '../core/envelope.ts'
import { wordsOf } from '../core/filter/words.ts'
import { headerText } from '../core/headers.ts'
import type { Message } from '../core/message.ts'
import type { Arrival } from './arrival.ts'
import type { Writer } from './sql.ts'

/** What a search for words looks through; `said` is what is known about the failure. */
export function searchTextOf(message: Message, said: readonly (string | null | undefined)[]): Arrival['text'] {
  return { failure: searchable(said), headers: searchable(headerTexts(message)) }
}

/** The same of a letter that is kept. What is sealed has no words but those of its failure. */
export function wordsOfLetter(envelope: string, said: readonly (string | null)[]): Arrival['text'] {
  return searchTextOf(envelope === '' ? { headers: [], body: null } : decodeMessage(parseEnvelope(envelope), null), said)
}

export const insertWords = 'INSERT INTO letter_text (rowid, failure, headers) VALUES (?, ?, ?)'

export function keepWords(sql: Writer, letters: readonly LetterWords[]): Promise<void> {
  return sql.runEach(
    insertWords,
    letters.map(({ letter, failure, headers }) => [letter, failure, sql.dialect.headerWords(headers)]),
  )
}

interface LetterWords {
  readonly letter: number
  readonly failure: string
  readonly headers: string
}

/** Name and value together, so that a header can be looked for as a phrase. What we wrote ourselves stands in fields of its own. */
function headerTexts({ headers }: Message): readonly string[] {
  const foreign = headers.filter(([name]) => !letterHeaderNames.has(name))
  return foreign.map(([name, value]) => `${name} ${headerText(value) ?? ''}`)
}

/** A word that no filter can hold: no phrase goes from one text into the next. */
const betweenTexts = ' \uE000 '
const longestSearchable = 16_384

function searchable(texts: readonly (string | null | undefined)[]): string {
  const words = texts.map((text) => wordsOf(cutToLength(text ?? '', longestSearchable)).join(' '))
  return words.join(betweenTexts).slice(0, longestSearchable)
}
