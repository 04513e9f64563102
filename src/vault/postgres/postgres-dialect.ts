import { addingToCause } from '../cause-numbers.ts'
import type { Dialect, Leading, Phrase, Range, SqlPart } from '../dialect.ts'
import { joined } from '../filter-sql.ts'
import { longestIndexed } from './longest-indexed.ts'

/**
 * What tells others from which number on somebody keeps letters is a lock that nobody waits for: it is gone when the transaction is, and not before its
 * letters are there. Half of its name is the table, and the other half has 32 bits: enough for 270 billion letters.
 */
const numbersTogether = 64

/** A part of a filter in the words of PostgreSQL: its own pattern matching, JSON and full text. */
export const postgresDialect: Dialect = {
  unindexed: (column) => column,
  isText: (column, value) => ({
    text: `(${beginningOf(column)} = ${beginningOf('?')} AND ${column} = ?)`,
    values: [value, value],
  }),
  isLike: (column, pattern) => ({ text: `${column} LIKE ?`, values: [pattern.map(literal).join('%')] }),
  behindColon: (column) => `substr(${column}, strpos(${column}, ':') + 1)`,
  hasHeader(name, value) {
    const { text, values } = value('header.value')
    return {
      text: `EXISTS (SELECT 1 FROM contents CROSS JOIN LATERAL headers_of(nullif(contents.envelope, '')) AS header
      WHERE contents.letter = letters.id AND header.name = ? AND ${text})`,
      values: [name, ...values],
    }
  },
  headerWords: (words) => words,
  holds: (index, phrases) =>
    joined(
      phrases.map((choices) =>
        joined(
          choices.map((phrase) => phraseSql(`${index}.${phrase.column}`, phrase)),
          ' OR ',
        ),
      ),
      ' AND ',
    ),
  joinAfter: 'JOIN',
  newestOf,
  // Of rows between two rows it believes that there are few, and would sort all of them.
  keepOrder: { from: 'SET LOCAL enable_sort = off', until: 'SET LOCAL enable_sort TO DEFAULT' },
  nearFirst: 2048,
  indexedBy: () => '',
  addToCause: `
    WITH added (cause, first_seen, last_seen, version, letters, unresolved) AS (VALUES (?, ?, ?, ?, ?, ?))
    ${addingToCause({ first: 'first_seen', last: 'last_seen', version: 'added.version', letters: 'added.letters', unresolved: 'added.unresolved' })}
    FROM added WHERE causes.id = added.cause`,
  lockCause: `WITH met (cause) AS (VALUES (?))
    SELECT FROM causes WHERE id IN (SELECT cause FROM met) ORDER BY id FOR NO KEY UPDATE`,
  announceNumbers: `SELECT pg_advisory_xact_lock_shared('letters'::regclass::oid::bigint << 32 | coalesce(max(id), 0) / ${numbersTogether}) FROM letters`,
  numbersUnderWay: `SELECT min(objid::bigint) * ${numbersTogether} AS "upTo" FROM pg_catalog.pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND classid = 'letters'::regclass
      AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())`,
  // Row by row, an index of millions of bodies is not emptied before the statement has to end.
  emptyBodyText: 'TRUNCATE body_text',
  rewrite: undefined,
}

/**
 * As rows between two rows, in the order of the index: only that index has them so. Asked for as values that are equal, in the order of their numbers,
 * the server may walk through all letters from the newest on, because it takes what is common for evenly spread.
 */
function newestOf(leading: readonly Leading[], { from, before }: Range): SqlPart & { readonly order: string } {
  const columns = [...leading.map(({ column, isText }) => (isText ? beginningOf(column) : column)), 'letters.id']
  const places = [...leading.map(({ isText }) => (isText ? beginningOf('?') : '?')), '?'].join(', ')
  const texts = leading.filter(({ isText }) => isText)
  const given = leading.map(({ value }) => value)
  const row = `(${columns.join(', ')})`
  return {
    text: [`${row} >= (${places}) AND ${row} < (${places})`, ...texts.map(({ column }) => `${column} = ?`)].join(' AND '),
    values: [...given, from, ...given, before, ...texts.map(({ value }) => value)],
    order: columns.map((column) => `${column} DESC`).join(', '),
  }
}

function beginningOf(text: string): string {
  return `left(${text}, ${longestIndexed})`
}

/** What `LIKE` sees more in than a character. */
function literal(piece: string): string {
  return piece.replace(/[%_\\]/g, '\\$&')
}

/** The index finds what has all of the words; that they stand in a row is seen in the text, which has one space between two. */
function phraseSql(column: string, { words, open }: Phrase): SqlPart {
  if (words.length === 0) return { text: '1 = 0', values: [] }
  return {
    text: `(${column}_words @@ CAST(? AS tsquery) AND strpos(' ' || ${column} || ' ', ?) > 0)`,
    values: [lexemes(words, open), ` ${words.join(' ')}${open ? '' : ' '}`],
  }
}

/** Words hold letters, digits and marks only, so that nothing in them means anything to the server. */
function lexemes(words: readonly string[], open: boolean): string {
  return `${words.map((word) => `'${[...word].slice(0, longestIndexed).join('')}'`).join(' & ')}${open ? ':*' : ''}`
}
