import { RedriveError } from './errors.ts'
import type { FieldOf } from './filter/fields.ts'
import type { Filter, Term } from './filter/filter.ts'
import { type FilterableLetter, matches } from './filter/matches-filter.ts'
import { parseFilter } from './filter/parse-filter.ts'

/** Letters of one cause that a person took out of it, as another one. */
export interface Split {
  readonly cause: number
  readonly into: number
  readonly rule: Filter
}

/** By the cause that they take letters out of, the oldest first. */
export type Splits = ReadonlyMap<number, readonly Split[]>

/**
 * What a rule may ask: only what a letter brings with it and keeps, so that a letter is judged alike when it comes and ever after. Where it stands, whose
 * it is and how old it is changes; ids are of one letter; a body may be erased.
 */
const lastingNames: ReadonlySet<FieldOf<'name'>> = new Set([
  'source',
  'channel',
  'connection',
  'reason',
  'error',
  'dialect',
  'type',
  'service',
  'version',
])

export const ruleFields: string = `${[...lastingNames].join(', ')}, header.<name> and words of the failure`

/** A rule by which letters are told apart, in the words of filters. */
export function parseSplitRule(text: string): Filter {
  const rule = parseFilter(text)
  const terms = termsOf(rule)
  if (terms.length === 0)
    throw new RedriveError('bad-option', 'A rule says which letters are meant: one that means all splits nothing.')
  if (!terms.every(isLasting)) {
    throw new RedriveError('bad-option', `A rule asks for what a letter keeps for ever: ${ruleFields}.`)
  }
  return rule
}

export function asksForHeaders(rule: Filter): boolean {
  return termsOf(rule).some(({ kind }) => kind === 'header')
}

function termsOf(filter: Filter): readonly Term[] {
  if (filter.kind === 'all' || filter.kind === 'any') return filter.of.flatMap(termsOf)
  return filter.kind === 'not' ? termsOf(filter.of) : [filter]
}

function isLasting(term: Term): boolean {
  if (term.kind === 'names') return lastingNames.has(term.field)
  return term.kind === 'header' || (term.kind === 'text' && term.where === 'failure')
}

/**
 * Where a letter belongs that the fingerprint put under `start`: the oldest split whose rule it fits takes it, and of what was taken out so the same is
 * asked again. It ends, because a split makes a cause that was not there before.
 */
export function routeOf(start: number, splits: Splits, letter: FilterableLetter): number {
  for (let at = start; ; ) {
    const next = splits.get(at)?.find(({ rule }) => matches(rule, letter, 0))
    if (!next) return at
    at = next.into
  }
}
