import type { Pattern } from '../core/filter/pattern.ts'
import type { Value } from './sql.ts'

/** A part of a statement with its parameters. */
export interface SqlPart {
  readonly text: string
  readonly values: readonly Value[]
}

/** Words in a row that one column of a full-text index must hold. They hold letters, digits and marks only. */
export interface Phrase {
  readonly column: 'failure' | 'headers' | 'body'
  readonly words: readonly string[]
  /** Whether the last word need only begin so. */
  readonly open: boolean
}

/** What an index of letters begins with; behind it, it has their numbers. */
export interface Leading {
  readonly column: string
  readonly value: Value
  /** Of any length, so that an index may hold only its beginning. */
  readonly isText?: true
}

/** Ids in a row, the second not included. */
export interface Range {
  readonly from: number
  readonly before: number
}

export type TextIndex = 'letter_text' | 'body_text'

/** What every one of these lists has one of. */
export type Phrases = readonly (readonly Phrase[])[]

/**
 * What SQLite and PostgreSQL say in different words. Everything else in the vault is SQL that both understand, and means the same to both:
 * types are those of the tables, texts are compared byte by byte, and the columns of a full-text index are found by `rowid`.
 */
export interface Dialect {
  /** The column, where no index is to be used for it: which one leads is decided in `question.ts`, and not by guessing. */
  unindexed(column: string): string
  /** The column is this text. An index is used where one leads with the column, however long the text is. */
  isText(column: string, value: Value): SqlPart
  /** The column is a text of this pattern, case included. */
  isLike(column: string, pattern: Pattern): SqlPart
  /** What stands behind the first colon, or the whole where there is none. */
  behindColon(column: string): string
  /** A header in `contents.envelope`; `value` is what its text must be. A value that is no plain text is not found by its text. */
  hasHeader(name: string, value: (column: string) => SqlPart): SqlPart
  /** The words of headers, as the index of letters is given them. */
  headerWords(words: string): string
  /** Rows of a full-text index. */
  holds(index: TextIndex, phrases: Phrases): SqlPart
  /** How a table joins the one before it, which is to be looked at first. */
  readonly joinAfter: string
  /** Letters of a range that an index leads to, and the order in which it has the newest of them first. */
  newestOf(leading: readonly Leading[], range: Range): SqlPart & { readonly order: string }
  /** Said before `newestOf` is asked and behind it: meanwhile, rows come in the order of an index wherever one has it. */
  readonly keepOrder: { readonly from: string; readonly until: string } | undefined
  /**
   * So many of the newest are looked at one by one before a full-text index is asked for all that have the words. Absent where it gives the newest of
   * them without the others.
   */
  readonly nearFirst: number | undefined
  /** Which index is to be walked, where another one would fit less. */
  indexedBy(index: string): string
  /** Adds to the numbers of a cause what `CauseNumbers.rows` gives, for `runEach`. */
  readonly addToCause: string
  /** Keeps causes for who is about to add to them, for `runEach` in the order of their numbers. Absent where one writes at a time. */
  readonly lockCause: string | undefined
  /** Says for the rest of a transaction that letters get numbers behind those that are there. Absent where one writes at a time. */
  readonly announceNumbers: string | undefined
  /** The number up to which nobody who said so gets any, as `upTo`; nothing where nobody did. */
  readonly numbersUnderWay: string | undefined
  /** Forgets all words of bodies at once. */
  readonly emptyBodyText: string
  /**
   * One step of writing a full-text index anew, so that no page of it holds what was deleted, and whether there was one to make. Absent where
   * the database does that by itself.
   */
  readonly rewrite: ((index: TextIndex) => Rewrite) | undefined
}

export interface Rewrite {
  readonly step: string
  /** How many rows were ever changed on this connection, as `n`. */
  readonly changes: string
}
