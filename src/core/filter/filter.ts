import type { LetterState } from '../letter-states.ts'
import type { FieldOf, Having } from './fields.ts'
import type { Pattern } from './pattern.ts'

/**
 * A filter as `parseFilter` reads it. It is plain data in canonical form: no `all` directly in an `all`, no `any` in an `any`, nothing denied twice, and
 * only the whole filter may be an `all` of nothing, which every letter matches.
 *
 * There are two truth values: what a letter does not have matches nothing, and therefore matches when it is denied. A database whose
 * null is neither true nor false must be told so.
 */
export type Filter = All | Any | Not | Term

export interface All {
  readonly kind: 'all'
  readonly of: readonly Filter[]
}

export interface Any {
  readonly kind: 'any'
  readonly of: readonly Filter[]
}

export interface Not {
  readonly kind: 'not'
  readonly of: Filter
}

/** Several values of one term are alternatives. */
export type Term = Ids | Names | Header | States | Havings | Beginnings | Comparison | Text

export interface Ids {
  readonly kind: 'ids'
  readonly field: FieldOf<'id'>
  readonly values: readonly string[]
}

export interface Names {
  readonly kind: 'names'
  readonly field: FieldOf<'name'>
  readonly patterns: readonly Pattern[]
}

/** A header may be there several times; one value that matches is enough. */
export interface Header {
  readonly kind: 'header'
  readonly name: string
  readonly patterns: readonly Pattern[]
}

export interface States {
  readonly kind: 'state'
  readonly values: readonly LetterState[]
}

export interface Havings {
  readonly kind: 'has'
  readonly values: readonly Having[]
}

/** `v1:3f2a` and `3f2a` both begin the fingerprint `v1:3f2a…`. */
export interface Beginnings {
  readonly kind: 'cause'
  readonly beginnings: readonly string[]
}

/** A number of times, bytes, milliseconds, or epoch milliseconds, by the kind of the field. */
export interface Comparison {
  readonly kind: 'compare'
  readonly field: FieldOf<'number' | 'size' | 'duration' | 'time'>
  readonly operator: Comparing
  readonly value: number
}

export type Comparing = '=' | '<' | '<=' | '>' | '>='

/** Words in a row, as `wordsOf` gives them. They hold letters, digits and marks only: no query language sees more in them. */
export interface Text {
  readonly kind: 'text'
  /** `failure` is what is known about the failure, and the headers. */
  readonly where: 'failure' | 'body'
  readonly words: readonly string[]
  /** Whether the last word need only begin so. */
  readonly open: boolean
}

export function all(filters: readonly Filter[]): Filter {
  return one(filters) ?? { kind: 'all', of: filters.flatMap((filter) => (filter.kind === 'all' ? filter.of : [filter])) }
}

export function any(filters: readonly Filter[]): Filter {
  return one(filters) ?? { kind: 'any', of: filters.flatMap((filter) => (filter.kind === 'any' ? filter.of : [filter])) }
}

export function not(filter: Filter): Filter {
  return filter.kind === 'not' ? filter.of : { kind: 'not', of: filter }
}

function one(filters: readonly Filter[]): Filter | undefined {
  return filters.length === 1 ? filters[0] : undefined
}
