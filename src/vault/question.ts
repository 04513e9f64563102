import type { Comparison, Filter, Header, Ids, Text } from '../core/filter/filter.ts'
import type { LetterState } from '../core/letter-states.ts'
import type { Condition } from './condition.ts'
import type { Dialect, Phrase, Phrases, SqlPart, TextIndex } from './dialect.ts'
import { createFilterSql, type FilterSql, headerPhrase, idColumns, joined, phraseOf, turned } from './filter-sql.ts'
import type { Value } from './sql.ts'

/** A condition taken apart by who answers it. */
export interface Question {
  readonly where: string
  readonly parameters: readonly Value[]
  /** Words that must be found in a full-text index. */
  readonly match?: Match
  /** Whether it asks for words in bodies, of which there may be no index. */
  readonly bodies?: boolean
  /** Whether it asks for headers, which may be sealed. */
  readonly headers?: boolean
  readonly lead?: Lead
  /** What the blocks of letters must be, of `letter_blocks`. */
  readonly blocks?: SqlPart
}

export interface Match {
  readonly index: TextIndex
  readonly phrases: Phrases
}

/** What an index has the newest letters of first. */
export type Lead =
  | { readonly kind: 'texts'; readonly column: string; readonly values: readonly string[] }
  | { readonly kind: 'states'; readonly values: readonly LetterState[] }
  | { readonly kind: 'causes'; readonly ids: SqlPart; readonly states?: readonly LetterState[] }

/**
 * Of what every letter must be, something leads: words, which the full-text index gives the newest of at once, or values that an index has the
 * newest of first. Time and source say which blocks of letters need not be looked at. All the rest is checked letter by letter.
 */
export function questionOf({ asked, where, parameters }: Condition, dialect: Dialect): Question {
  if (!asked) return { where, parameters }
  const sql = createFilterSql(dialect, asked.now)
  const { filter } = asked
  const parts = filter.kind === 'all' ? filter.of : [filter]
  const match = matchOf(parts)
  const leading = leadOf(parts, match !== undefined, sql)
  const { text, values } = joined(
    [
      sql.all(parts.filter((part) => !isIndexedHeader(part) && !isMatched(part, match) && !leading.parts.includes(part))),
      ...parts.filter(isIndexedHeader).map((header) => exactly(header, sql)),
      { text: where, values: parameters },
    ],
    ' AND ',
  )
  const blocks = parts.flatMap((part) => blockSql(part, sql, asked.now))
  return {
    where: text,
    parameters: values,
    ...(match && { match }),
    ...(asksFor(filter, isBodySearch) && { bodies: true }),
    ...(asksFor(filter, ({ kind }) => kind === 'header') && { headers: true }),
    ...(leading.lead && { lead: leading.lead }),
    ...(blocks.length > 0 && { blocks: joined(blocks, ' AND ') }),
  }
}

function isSearch(filter: Filter): filter is Text {
  return filter.kind === 'text' && filter.where === 'failure'
}

function isBodySearch(filter: Filter): filter is Text {
  return filter.kind === 'text' && filter.where === 'body'
}

function isMatched(filter: Filter, match: Match | undefined): boolean {
  return isSearch(filter) || (isBodySearch(filter) && match?.index === 'body_text')
}

function asksFor(filter: Filter, isMeant: (term: Filter) => boolean): boolean {
  if (filter.kind === 'all' || filter.kind === 'any') return filter.of.some((part) => asksFor(part, isMeant))
  return filter.kind === 'not' ? asksFor(filter.of, isMeant) : isMeant(filter)
}

function isIndexedHeader(filter: Filter): filter is Header {
  return filter.kind === 'header' && filter.patterns.every((pattern) => headerPhrase(filter, pattern) !== undefined)
}

function exactly(header: Header, sql: FilterSql): SqlPart {
  return joined(
    header.patterns.map((pattern) => sql.exactHeader(header, pattern)),
    ' OR ',
  )
}

/** One index leads. Words of bodies are checked where words of failures are asked for too. */
function matchOf(parts: readonly Filter[]): Match | undefined {
  const phrases = parts.flatMap(wordsIn)
  if (phrases.length > 0) return { index: 'letter_text', phrases }
  const inBody = parts.filter(isBodySearch).map((term) => [phraseOf(term)])
  return inBody.length === 0 ? undefined : { index: 'body_text', phrases: inBody }
}

function wordsIn(filter: Filter): readonly (readonly Phrase[])[] {
  if (isSearch(filter)) return [[phraseOf(filter)]]
  if (!isIndexedHeader(filter)) return []
  return [filter.patterns.flatMap((pattern) => headerPhrase(filter, pattern) ?? [])]
}

interface Leading {
  readonly lead?: Lead
  /** What it answers, so that nobody checks it again. */
  readonly parts: readonly Filter[]
}

/** Who names a message means one or few; a cause or a channel has many letters, and a state most of them. */
function leadOf(parts: readonly Filter[], hasMatch: boolean, sql: FilterSql): Leading {
  const ids = parts.find(
    (part): part is Ids & { readonly field: keyof typeof idColumns } => part.kind === 'ids' && part.field in idColumns,
  )
  if (ids) return { lead: { kind: 'texts', column: idColumns[ids.field], values: ids.values }, parts: [ids] }
  if (hasMatch) return { parts: [] }
  const state = parts.find((part) => part.kind === 'state')
  const causes = parts.flatMap((part) => leadingCauses(part, sql))[0]
  if (causes) return { lead: { kind: 'causes', ids: causes, ...(state && { states: state.values }) }, parts: [] }
  const channel = parts.find(
    (part) => part.kind === 'names' && part.field === 'channel' && part.patterns.every(({ length }) => length === 1),
  )
  if (channel?.kind === 'names') {
    return {
      lead: { kind: 'texts', column: 'letters.channel', values: channel.patterns.map(([name = '']) => name) },
      parts: [channel],
    }
  }
  return state ? { lead: { kind: 'states', values: state.values }, parts: [state] } : { parts: [] }
}

function leadingCauses(filter: Filter, sql: FilterSql): readonly SqlPart[] {
  if (filter.kind === 'cause') return [sql.causes(filter.beginnings)]
  if (filter.kind === 'ids' && filter.field === 'under') return [sql.under(filter.values)]
  return filter.kind === 'names' && filter.field === 'owner' ? [sql.owned(filter.patterns)] : []
}

/** What a block must be for a letter in it to be meant. */
function blockSql(filter: Filter, sql: FilterSql, now: number): readonly SqlPart[] {
  if (filter.kind === 'names' && (filter.field === 'source' || filter.field === 'connection')) {
    const { text, values } = sql.sources(filter.field, filter.patterns)
    return [{ text: `source IN (${text})`, values }]
  }
  if (filter.kind !== 'compare') return []
  if (filter.field === 'failed') return failedSql(filter.operator, filter.value)
  return filter.field === 'age' ? failedSql(turned[filter.operator], now - filter.value) : []
}

function failedSql(operator: Comparison['operator'], at: number): readonly SqlPart[] {
  if (operator === '=') return [...failedSql('<=', at), ...failedSql('>=', at)]
  const edge = operator.startsWith('<') ? 'first_failed_at' : 'last_failed_at'
  return [{ text: `${edge} ${operator} ?`, values: [at] }]
}
