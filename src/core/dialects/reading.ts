import type { FailureClass } from '../failure.ts'
import type { Message } from '../message.ts'
import { present } from '../present.ts'
import type { LetterFields } from './letter-fields.ts'

/** A message as it lies in a dead-letter channel, before anybody knows who put it there. */
export interface FoundLetter {
  /** Where it lies. */
  readonly channel: string
  readonly message: Message
}

/**
 * What somebody wrote about a failure, in one form for all producers. As it was written: texts are not sanitised, and nothing in here is
 * more than a claim. What a producer does not say, or says in a form that cannot be read, is absent.
 */
export interface ReadFailure {
  readonly source?: Source
  /** The consumer group, subscription or endpoint that gave up. */
  readonly group?: string
  /** The handler, consumer class, route or service that gave up. */
  readonly handler?: string
  readonly reason?: string
  readonly errorType?: string
  readonly errorMessage?: string
  readonly stack?: string
  readonly class?: FailureClass
  /** Times it was handed to a handler, the last one included. */
  readonly attempts?: number
  /** The broker's own count. */
  readonly deliveries?: number
  /** Epoch milliseconds at which the message was first seen or published, and at which it was given up. */
  readonly firstSeenAt?: number
  readonly failedAt?: number
}

/** Where the message came from. */
export interface Source {
  readonly channel?: string
  readonly partition?: number
  readonly offset?: bigint
  /** Whatever else names its place there: an id, a row, an entry. */
  readonly position?: string
}

/**
 * - `certain`: names that nobody else writes.
 * - `likely`: plain names in a combination that is typical of the producer.
 * - `guess`: names that many write, each in their own sense.
 */
export type Confidence = 'certain' | 'likely' | 'guess'

/** Reads the letters of one producer. Total: whatever stands in a letter, it reads what it can and never throws. */
export interface DialectReader {
  readonly name: string
  readonly producer: string
  readonly confidence: Confidence
  /** Headers or broker properties of which at least one must be there; where there are none, `sign` says what is looked for. */
  readonly signs: readonly string[]
  readonly sign?: string
  /** What the producer adds to a message, `*` for any characters: what a replay takes off again. */
  readonly headers: readonly string[]
  /**
   * For letters whose JSON body tells the failure beside the message that died: the members that tell it, `*` for any characters. None
   * where this letter tells it elsewhere.
   */
  readonly envelope?: (letter: LetterFields) => readonly string[]
  /** `undefined` where the letter is not of this producer after all. */
  readonly read: (letter: LetterFields) => ReadFailure | undefined
}

type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** A failure of what could be read: without the rest. */
export function failureOf({
  source,
  ...rest
}: Loose<Omit<ReadFailure, 'source'>> & { readonly source?: Loose<Source> }): ReadFailure {
  const from = present(source ?? {})
  return { ...(Object.keys(from).length > 0 && { source: from }), ...present(rest) }
}
