import { letterHeaderNames } from '../core/dialects/letter-headers.ts'
import type { FieldOf } from '../core/filter/fields.ts'
import type { Comparison, Filter, Header, Term, Text } from '../core/filter/filter.ts'
import type { Pattern } from '../core/filter/pattern.ts'
import { wordsOf } from '../core/filter/words.ts'
import type { Dialect, Phrase, SqlPart, TextIndex } from './dialect.ts'
import type { Value } from './sql.ts'

/** What filters mean in a database, checked letter by letter. */
export interface FilterSql {
  all(filters: readonly Filter[]): SqlPart
  exactHeader(header: Header, pattern: Pattern): SqlPart
  /** The sources that are meant, by id. */
  sources(field: 'source' | 'connection', patterns: readonly Pattern[]): SqlPart
  /** The causes that are meant, by id. */
  owned(patterns: readonly Pattern[]): SqlPart
  causes(beginnings: readonly string[]): SqlPart
  under(numbers: readonly string[]): SqlPart
}

/** Each has an index of its own. */
export const idColumns = {
  key: 'letters.key',
  correlation: 'letters.correlation_id',
  message: 'letters.message_id',
  letter: 'letters.letter',
} as const

const nameColumns = {
  channel: 'letters.channel',
  reason: 'letters.reason',
  error: 'letters.error_type',
  dialect: 'letters.dialect',
  type: 'letters.type',
  service: 'letters.service',
  version: 'letters.version',
} as const

const quantities = {
  attempts: 'letters.attempts',
  size: 'letters.bytes',
  failed: 'letters.failed_at',
  received: 'letters.received_at',
} as const

const havingSql = {
  key: 'letters.key IS NOT NULL',
  correlation: 'letters.correlation_id IS NOT NULL',
  note: "EXISTS (SELECT 1 FROM notes WHERE notes.about = 'letter' AND notes.subject = letters.id)",
} as const

export function createFilterSql(dialect: Dialect, now: number): FilterSql {
  const { unindexed, isLike } = dialect

  function sqlOf(filter: Filter): SqlPart {
    switch (filter.kind) {
      case 'all':
        return all(filter.of)
      case 'any':
        return any(filter.of.map(sqlOf))
      case 'not': {
        // What a letter does not have is null, and a null that is denied must be true.
        const { text, values } = sqlOf(filter.of)
        return { text: `(${text}) IS NOT TRUE`, values }
      }
      default:
        return termSql(filter)
    }
  }

  function all(filters: readonly Filter[]): SqlPart {
    return filters.length === 0 ? { text: '1 = 1', values: [] } : joined(filters.map(sqlOf), ' AND ')
  }

  function termSql(term: Term): SqlPart {
    switch (term.kind) {
      case 'ids':
        return idsSql(term.field, term.values)
      case 'names':
        return namesSql(term.field, term.patterns)
      case 'header':
        return any(term.patterns.map((pattern) => headerSql(term, pattern)))
      case 'state':
        return oneOf(unindexed('letters.state'), term.values)
      case 'has':
        return any(term.values.map((having) => ({ text: havingSql[having], values: [] })))
      case 'cause':
        return within(unindexed('letters.cause'), causes(term.beginnings))
      case 'compare':
        return compareSql(term)
      case 'text':
        return textSql(term)
    }
  }

  function idsSql(field: FieldOf<'id'>, given: readonly string[]): SqlPart {
    if (field !== 'id' && field !== 'replay' && field !== 'under') return oneOf(unindexed(idColumns[field]), given)
    if (field === 'under') return within(unindexed('letters.cause'), under(given))
    const { text, values } = oneOf(field === 'id' ? 'letters.id' : 'ledger.replay', given.filter(isWhole).map(Number))
    if (field === 'id') return { text, values }
    return { text: `letters.id IN (SELECT ledger.letter FROM replay_letters AS ledger WHERE ${text})`, values }
  }

  function namesSql(field: FieldOf<'name'>, patterns: readonly Pattern[]): SqlPart {
    if (field === 'source' || field === 'connection') return within(unindexed('letters.source'), sources(field, patterns))
    if (field === 'owner') return within(unindexed('letters.cause'), owned(patterns))
    return likeOne(unindexed(nameColumns[field]), patterns)
  }

  function likeOne(column: string, patterns: readonly Pattern[]): SqlPart {
    return any(patterns.map((pattern) => patternSql(column, pattern)))
  }

  function patternSql(column: string, pattern: Pattern): SqlPart {
    if (pattern.length <= 1) return { text: `${column} = ?`, values: [pattern[0] ?? ''] }
    return isLike(column, pattern)
  }

  function sources(field: 'source' | 'connection', patterns: readonly Pattern[]): SqlPart {
    return idsFrom('sources', likeOne(field === 'source' ? 'sources.channel' : 'sources.connection', patterns))
  }

  function owned(patterns: readonly Pattern[]): SqlPart {
    return standingUnder(idsFrom('causes', likeOne('causes.owner', patterns)))
  }

  function under(numbers: readonly string[]): SqlPart {
    return standingUnder(idsFrom('causes', oneOf('causes.id', numbers.filter(isWhole).map(Number))))
  }

  /** By the fingerprint that a letter came with, and by that of what it stands under now. */
  function causes(beginnings: readonly string[]): SqlPart {
    const { text, values } = idsFrom('causes', any(beginnings.map(causeSql)))
    const columns = ['id', 'own', 'shown'].map((column) => `meant.${column} IN (${text})`)
    return {
      text: `SELECT meant.id FROM causes AS meant WHERE ${columns.join(' OR ')}`,
      values: [...values, ...values, ...values],
    }
  }

  function causeSql(beginning: string): SqlPart {
    const pattern = [beginning, '']
    const places = ['causes.fingerprint', dialect.behindColon('causes.fingerprint')]
    return any(places.map((place) => isLike(place, pattern)))
  }

  /**
   * The words of the header find the few letters in question; among those, its value is compared. Headers that we wrote ourselves are not in the
   * index: they have fields.
   */
  function headerSql(header: Header, pattern: Pattern): SqlPart {
    const exact = exactHeader(header, pattern)
    const phrase = headerPhrase(header, pattern)
    return phrase === undefined ? exact : joined([amongRows('letter_text', phrase), exact], ' AND ')
  }

  function exactHeader({ name }: Header, pattern: Pattern): SqlPart {
    return dialect.hasHeader(name, (column) => patternSql(column, pattern))
  }

  function compareSql({ field, operator, value }: Comparison): SqlPart {
    if (field === 'age') return { text: `${unindexed('letters.failed_at')} ${turned[operator]} ?`, values: [now - value] }
    return { text: `${unindexed(quantities[field])} ${operator} ?`, values: [value] }
  }

  function textSql(term: Text): SqlPart {
    return amongRows(term.where === 'body' ? 'body_text' : 'letter_text', phraseOf(term))
  }

  function amongRows(index: TextIndex, phrase: Phrase): SqlPart {
    const { text, values } = dialect.holds(index, [[phrase]])
    return { text: `letters.id IN (SELECT rowid FROM ${index} WHERE ${text})`, values }
  }

  return { all, exactHeader, sources, owned, causes, under }
}

function any(parts: readonly SqlPart[]): SqlPart {
  return parts.length === 0 ? { text: '1 = 0', values: [] } : joined(parts, ' OR ')
}

/** In parentheses of its own: whoever puts an AND beside it means all of it. */
export function joined(parts: readonly SqlPart[], by: string): SqlPart {
  const [only] = parts
  if (only && parts.length === 1) return only
  return { text: `(${parts.map(({ text }) => `(${text})`).join(by)})`, values: parts.flatMap(({ values }) => values) }
}

function oneOf(column: string, values: readonly Value[]): SqlPart {
  if (values.length === 0) return { text: '1 = 0', values: [] }
  return { text: `${column} IN (${values.map(() => '?').join(', ')})`, values }
}

function idsFrom(table: string, { text, values }: SqlPart): SqlPart {
  return { text: `SELECT ${table}.id FROM ${table} WHERE ${text}`, values }
}

/** With everything that was merged into them. */
function standingUnder({ text, values }: SqlPart): SqlPart {
  return { text: `SELECT standing.id FROM causes AS standing WHERE coalesce(standing.shown, standing.id) IN (${text})`, values }
}

function within(column: string, { text, values }: SqlPart): SqlPart {
  return { text: `${column} IN (${text})`, values }
}

function isWhole(text: string): boolean {
  return /^\d{1,15}$/.test(text)
}

export const turned = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const

/**
 * What the index is asked for, where it can be asked. A value that only begins so is found by its first words, of which the last may go on;
 * beyond ASCII, what a word becomes may depend on what follows.
 */
export function headerPhrase({ name }: Header, pattern: Pattern): Phrase | undefined {
  const [first = ''] = pattern
  const isWholeValue = pattern.length === 1
  const known = isWholeValue || isAscii(first) ? wordsOf(first) : []
  const words = [...wordsOf(name), ...known]
  if (words.length === 0 || letterHeaderNames.has(name)) return undefined
  return { column: 'headers', words, open: !isWholeValue && known.length > 0 }
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

/** The index of letters holds headers too, which only those may ask for who may see them: words of no field are words of the failure. */
export function phraseOf({ where, words, open }: Text): Phrase {
  return { column: where, words, open }
}
