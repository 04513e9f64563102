import { addingToCause } from '../cause-numbers.ts'
import type { Dialect, Phrase } from '../dialect.ts'
import { headerWords } from './header-words.ts'

/** A part of a filter in the words of SQLite: its own pattern matching, JSON and full text (FTS5). */
export const sqliteDialect: Dialect = {
  unindexed: (column) => `+${column}`,
  isText: (column, value) => ({ text: `${column} = ?`, values: [value] }),
  isLike: (column, pattern) => ({ text: `${column} GLOB ?`, values: [pattern.map(literal).join('*')] }),
  behindColon: (column) => `substr(${column}, instr(${column}, ':') + 1)`,
  hasHeader(name, value) {
    const { text, values } = value("CAST(json_extract(header.value, '$[1]') AS TEXT)")
    return {
      text: `EXISTS (SELECT 1 FROM contents, json_each(nullif(contents.envelope, ''), '$[6]') AS header
      WHERE contents.letter = letters.id AND json_extract(header.value, '$[0]') = ? AND ${text})`,
      values: [name, ...values],
    }
  },
  headerWords,
  holds: (index, phrases) => ({
    text: `${index} MATCH ?`,
    values: [phrases.map((choices) => `(${choices.map(phraseText).join(' OR ')})`).join(' AND ')],
  }),
  // Only so it takes the tables in the order in which they are written.
  joinAfter: 'CROSS JOIN',
  newestOf: (leading, { from, before }) => ({
    text: [...leading.map(({ column }) => `${column} = ?`), 'letters.id >= ? AND letters.id < ?'].join(' AND '),
    values: [...leading.map(({ value }) => value), from, before],
    order: 'letters.id DESC',
  }),
  keepOrder: undefined,
  nearFirst: undefined,
  indexedBy: (index) => `INDEXED BY ${index}`,
  // As `VALUES` of a row, which PostgreSQL is given, it would take three times as long.
  addToCause: `${addingToCause({ first: '?2', last: '?3', version: '?4', letters: '?5', unresolved: '?6' })} WHERE id = ?1`,
  lockCause: undefined,
  announceNumbers: undefined,
  numbersUnderWay: undefined,
  emptyBodyText: "INSERT INTO body_text (body_text) VALUES ('delete-all')",
  rewrite: (index) => ({
    step: `INSERT INTO ${index} (${index}, rank) VALUES ('merge', -${pagesAtOnce})`,
    changes: 'SELECT total_changes() AS n',
  }),
}

const pagesAtOnce = 500

/** What `GLOB` sees more in than a character. */
function literal(piece: string): string {
  return piece.replace(/[*?[]/g, '[$&]')
}

/** Words hold letters, digits and marks only, so that nothing in a phrase means anything to the index. */
function phraseText({ column, words, open }: Phrase): string {
  const phrase = words.join(' ')
  return `${column} : "${column === 'headers' ? headerWords(phrase) : phrase}"${open ? ' *' : ''}`
}
