import type { Dialect, Phrase, SqlPart } from '../dialect.ts'
import { joined } from '../filter-sql.ts'
import { longestIndexed } from './longest-indexed.ts'

/** A part of a filter in the words of PostgreSQL: its own pattern matching, JSON and full text. */
export const postgresDialect: Dialect = {
  unindexed: (column) => column,
  isText: (column, value) => ({
    text: `(left(${column}, ${longestIndexed}) = left(?, ${longestIndexed}) AND ${column} = ?)`,
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
  indexedBy: () => '',
  emptyBodyText: 'DELETE FROM body_text',
  rewrite: undefined,
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
