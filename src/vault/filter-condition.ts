import { letterHeaderNames } from '../core/dialects/letter-headers.ts'
import { RedriveError } from '../core/errors.ts'
import type { FieldOf } from '../core/filter/fields.ts'
import type { Comparison, Filter, Header, Term, Text } from '../core/filter/filter.ts'
import { parseFilter } from '../core/filter/parse-filter.ts'
import type { Pattern } from '../core/filter/pattern.ts'
import { wordsOf } from '../core/filter/words.ts'
import type { Condition } from './operations/letters.ts'
import type { Value } from './sql.ts'

interface Sql {
  readonly text: string
  readonly values: readonly Value[]
}

/**
 * A filter as a condition on letters. Words that every letter must hold stand apart as `match`, because a full-text index gives the newest
 * of a million at once, and all of them only slowly.
 */
export function conditionOf(filter: string, now: number): Condition {
  const parsed = parseFilter(filter)
  const parts = parsed.kind === 'all' ? parsed.of : [parsed]
  const searched = parts.filter(isSearch)
  const { text, values } = all(
    parts.filter((part) => !isSearch(part)),
    now,
  )
  return { where: text, parameters: values, ...(searched.length > 0 && { match: searched.map(phraseOf).join(' AND ') }) }
}

function isSearch(filter: Filter): filter is Text {
  return filter.kind === 'text' && filter.where === 'failure'
}

/** Words hold letters, digits and marks only, so that nothing in a phrase means anything to the index. */
function phraseOf({ words, open }: Text): string {
  return `"${words.join(' ')}"${open ? ' *' : ''}`
}

function sqlOf(filter: Filter, now: number): Sql {
  switch (filter.kind) {
    case 'all':
      return all(filter.of, now)
    case 'any':
      return any(filter.of.map((part) => sqlOf(part, now)))
    case 'not': {
      // What a letter does not have is null, and a null that is denied must be true.
      const { text, values } = sqlOf(filter.of, now)
      return { text: `(${text}) IS NOT TRUE`, values }
    }
    default:
      return termSql(filter, now)
  }
}

function all(filters: readonly Filter[], now: number): Sql {
  const parts = filters.map((part) => sqlOf(part, now))
  return parts.length === 0 ? { text: '1 = 1', values: [] } : joined(parts, ' AND ')
}

function any(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? { text: '1 = 0', values: [] } : joined(parts, ' OR ')
}

function joined(parts: readonly Sql[], by: string): Sql {
  const [only] = parts
  if (only && parts.length === 1) return only
  return { text: parts.map(({ text }) => `(${text})`).join(by), values: parts.flatMap(({ values }) => values) }
}

function termSql(term: Term, now: number): Sql {
  switch (term.kind) {
    case 'ids':
      return idsSql(term.field, term.values)
    case 'names':
      return namesSql(term.field, term.patterns)
    case 'header':
      return any(term.patterns.map((pattern) => headerSql(term, pattern)))
    case 'state':
      return oneOf('letters.state', term.values)
    case 'has':
      return any(term.values.map((having) => ({ text: havingSql[having], values: [] })))
    case 'cause':
      return any(term.beginnings.map(causeSql))
    case 'compare':
      return compareSql(term, now)
    case 'text':
      return textSql(term)
  }
}

const idColumns = {
  key: 'letters.key',
  correlation: 'letters.correlation_id',
  message: 'letters.message_id',
  letter: 'letters.letter',
} as const

function idsSql(field: FieldOf<'id'>, given: readonly string[]): Sql {
  if (field !== 'id' && field !== 'replay') return oneOf(idColumns[field], given)
  const { text, values } = oneOf(field === 'id' ? 'letters.id' : 'ledger.replay', given.filter(isWhole).map(Number))
  if (field === 'id') return { text, values }
  return { text: `letters.id IN (SELECT ledger.letter FROM replay_letters AS ledger WHERE ${text})`, values }
}

function isWhole(text: string): boolean {
  return /^\d{1,15}$/.test(text)
}

function oneOf(column: string, values: readonly Value[]): Sql {
  if (values.length === 0) return { text: '1 = 0', values: [] }
  return { text: `${column} IN (${values.map(() => '?').join(', ')})`, values }
}

const nameColumns = {
  channel: 'letters.channel',
  reason: 'letters.reason',
  error: 'letters.error_type',
  dialect: 'letters.dialect',
  type: 'letters.type',
  service: 'letters.service',
  version: 'letters.version',
} as const

function namesSql(field: FieldOf<'name'>, patterns: readonly Pattern[]): Sql {
  const like = (column: string) => any(patterns.map((pattern) => patternSql(column, pattern)))
  if (field === 'source') return within('letters.source', 'sources', like('sources.channel'))
  if (field === 'connection') return within('letters.source', 'sources', like('sources.connection'))
  if (field === 'owner') return within('letters.cause', 'causes', like('causes.owner'))
  return like(nameColumns[field])
}

function within(column: string, table: string, { text, values }: Sql): Sql {
  return { text: `${column} IN (SELECT ${table}.id FROM ${table} WHERE ${text})`, values }
}

function patternSql(column: string, pattern: Pattern): Sql {
  if (pattern.length <= 1) return { text: `${column} = ?`, values: [pattern[0] ?? ''] }
  return { text: `${column} GLOB ?`, values: [pattern.map(literal).join('*')] }
}

/** What `GLOB` sees more in than a character. */
function literal(piece: string): string {
  return piece.replace(/[*?[]/g, '[$&]')
}

function causeSql(beginning: string): Sql {
  const pattern = `${literal(beginning)}*`
  return within('letters.cause', 'causes', {
    text: "causes.fingerprint GLOB ? OR substr(causes.fingerprint, instr(causes.fingerprint, ':') + 1) GLOB ?",
    values: [pattern, pattern],
  })
}

const havingSql = {
  key: 'letters.key IS NOT NULL',
  correlation: 'letters.correlation_id IS NOT NULL',
  note: "EXISTS (SELECT 1 FROM notes WHERE notes.about = 'letter' AND notes.subject = letters.id)",
} as const

/**
 * The words of the header find the few letters in question; among those, its value is compared. A value that is not plain text in the
 * envelope (bytes, a date, a large number) is not found by its text. Headers that we wrote ourselves are not in the index: they have fields.
 */
function headerSql({ name }: Header, pattern: Pattern): Sql {
  const words = [...wordsOf(name), ...(pattern.length === 1 ? wordsOf(pattern[0] ?? '') : [])]
  const { text, values } = patternSql("CAST(json_extract(header.value, '$[1]') AS TEXT)", pattern)
  const exact = `EXISTS (SELECT 1 FROM contents, json_each(contents.envelope, '$[6]') AS header
    WHERE contents.letter = letters.id AND json_extract(header.value, '$[0]') = ? AND ${text})`
  if (words.length === 0 || letterHeaderNames.has(name)) return { text: exact, values: [name, ...values] }
  return {
    text: `letters.id IN (SELECT rowid FROM letter_text WHERE letter_text MATCH ?) AND ${exact}`,
    values: [`headers : "${words.join(' ')}"`, name, ...values],
  }
}

const quantities = {
  attempts: 'letters.attempts',
  size: 'letters.bytes',
  failed: 'letters.failed_at',
  received: 'letters.received_at',
}

const turned = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const

/** Older than an hour is failed before an hour ago: so that an index can answer it. */
function compareSql({ field, operator, value }: Comparison, now: number): Sql {
  if (field === 'age') return { text: `letters.failed_at ${turned[operator]} ?`, values: [now - value] }
  return { text: `${quantities[field]} ${operator} ?`, values: [value] }
}

function textSql(term: Text): Sql {
  if (term.where === 'body') {
    throw new RedriveError('unsupported', 'This vault does not keep an index of bodies, so body: cannot be answered.')
  }
  return { text: 'letters.id IN (SELECT rowid FROM letter_text WHERE letter_text MATCH ?)', values: [phraseOf(term)] }
}
