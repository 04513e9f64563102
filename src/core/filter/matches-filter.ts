import { headerText } from '../headers.ts'
import type { LetterState } from '../letter-states.ts'
import type { Headers } from '../message.ts'
import type { FieldOf, Having } from './fields.ts'
import type { Comparison, Filter, Term, Text } from './filter.ts'
import { findText } from './find-text.ts'
import { matchesPattern, type Pattern } from './pattern.ts'
import { wordsOf } from './words.ts'

/** A letter as far as a filter can ask about it, in plain values. What it does not have is absent. */
export interface FilterableLetter
  extends Readonly<Partial<Record<Exclude<FieldOf<'id' | 'name'>, 'id' | 'replay' | 'source' | 'connection'>, string>>> {
  readonly id: string
  readonly state: LetterState
  readonly source: string
  readonly connection: string
  /** The fingerprint of what it stands under, with its version: `v1:3f2a…`. */
  readonly cause?: string
  /** Its own, where that is another one. */
  readonly fingerprint?: string
  /** Every replay that it is or was part of. */
  readonly replays: readonly string[]
  readonly attempts?: number
  /** Bytes of the body; 0 where there is none. */
  readonly size: number
  /** Epoch milliseconds. */
  readonly failed: number
  readonly received: number
  readonly headers: Headers
  readonly hasNote: boolean
  /** What is known about the failure, as texts. No phrase goes from one of them into the next. */
  readonly texts: readonly string[]
  /** The body as text, where it is text. */
  readonly body?: string
}

/** Whether the filter lets the letter through at this time, in epoch milliseconds. Total. */
export function matches(filter: Filter, letter: FilterableLetter, now: number): boolean {
  if (filter.kind === 'all') return filter.of.every((part) => matches(part, letter, now))
  if (filter.kind === 'any') return filter.of.some((part) => matches(part, letter, now))
  if (filter.kind === 'not') return !matches(filter.of, letter, now)
  return matchesTerm(filter, letter, now)
}

function matchesTerm(term: Term, letter: FilterableLetter, now: number): boolean {
  switch (term.kind) {
    case 'ids':
      return idsOf(letter, term.field).some((id) => term.values.includes(id))
    case 'names':
      return matchesOne(term.patterns, letter[term.field])
    case 'header':
      return letter.headers.some(([name, value]) => name === term.name && matchesOne(term.patterns, headerText(value)))
    case 'state':
      return term.values.includes(letter.state)
    case 'has':
      return term.values.some((having) => has(letter, having))
    case 'cause':
      return term.beginnings.some((beginning) => begins(letter.cause, beginning) || begins(letter.fingerprint, beginning))
    case 'compare':
      return compares(term, quantityOf(letter, term.field, now))
    case 'text':
      return textsOf(letter, term.where).some((text) => holds(text, term))
  }
}

function idsOf(letter: FilterableLetter, field: FieldOf<'id'>): readonly string[] {
  if (field === 'replay') return letter.replays
  const id = letter[field]
  return id === undefined ? [] : [id]
}

function matchesOne(patterns: readonly Pattern[], text: string | undefined): boolean {
  return text !== undefined && patterns.some((pattern) => matchesPattern(pattern, text))
}

function has(letter: FilterableLetter, having: Having): boolean {
  return having === 'note' ? letter.hasNote : letter[having] !== undefined
}

function begins(fingerprint: string | undefined, beginning: string): boolean {
  if (fingerprint === undefined) return false
  return fingerprint.startsWith(beginning) || fingerprint.startsWith(beginning, fingerprint.indexOf(':') + 1)
}

function quantityOf(letter: FilterableLetter, field: Comparison['field'], now: number): number | undefined {
  return field === 'age' ? now - letter.failed : letter[field]
}

function compares({ operator, value }: Comparison, found: number | undefined): boolean {
  if (found === undefined) return false
  switch (operator) {
    case '=':
      return found === value
    case '<':
      return found < value
    case '<=':
      return found <= value
    case '>':
      return found > value
    case '>=':
      return found >= value
  }
}

function textsOf(letter: FilterableLetter, where: Text['where']): readonly string[] {
  if (where === 'failure') return letter.texts
  return letter.body === undefined ? [] : [letter.body]
}

/** Words never hold a space, so that whole words are what stands between two. */
function holds(text: string, { words, open }: Text): boolean {
  return findText(` ${wordsOf(text).join(' ')} `, ` ${words.join(' ')}${open ? '' : ' '}`, 0) >= 0
}
