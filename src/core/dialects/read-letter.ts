import { letterFields } from './letter-fields.ts'
import { dialectReaders } from './readers.ts'
import type { Confidence, DialectReader, FoundLetter, ReadFailure } from './reading.ts'

/** What a letter says about its failure, and in whose words. */
export interface Reading {
  /** `unknown` where nobody recognised it: it is a letter all the same, with a message and a channel and no failure to show. */
  readonly dialect: string
  readonly confidence: Confidence | 'none'
  readonly failure: ReadFailure
}

/** Total: any message that lies in a dead-letter channel is a letter. The message itself, with all its headers, is left as it is. */
export function readLetter(found: FoundLetter): Reading {
  const letter = letterFields(found)
  for (const reader of dialectReaders) {
    const failure = hasSign(reader, letter.has) ? reader.read(letter) : undefined
    if (failure !== undefined) return { dialect: reader.name, confidence: reader.confidence, failure }
  }
  return { dialect: 'unknown', confidence: 'none', failure: {} }
}

function hasSign({ signs }: DialectReader, has: (name: string) => boolean): boolean {
  return signs.length === 0 || signs.some(has)
}
