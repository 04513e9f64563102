/**
 * The tables of the vault are written once, in the words of SQLite; these are the places where PostgreSQL needs others. Types need none: what
 * `INTEGER`, `TEXT` and `BLOB` are called there, `plain` knows.
 */
export interface SchemaWords {
  /** A column `id` that numbers its rows: from 1 on and never twice, or by the next number that is free. */
  readonly numbered: string
  readonly numberedAgain: string
  /** A table of words, with one column for each kind, found by `rowid`. */
  fullText(table: string, columns: readonly string[]): string
  /** The same table without its words, where the database needs them to be written anew. */
  emptyWords(table: string, columns: readonly string[]): string
  /** An index that leads with a text of any length. */
  textIndex(name: string, table: string, column: string, where: string): string
  /** Rows of this table can be added, and neither changed nor removed. */
  appendOnly(table: string): string
  /** Room of rows that were removed comes back soon, and the server knows what the table holds. */
  cleaned(table: string): string
  /** Whether a member of a member of a JSON text is true. */
  isTrueIn(column: string, member: string, inner: string): string
  /** A definition as the database reads it. */
  plain(definition: string): string
}

export const sqliteWords: SchemaWords = {
  numbered: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  numberedAgain: 'INTEGER PRIMARY KEY',
  fullText,
  // What is erased later must not stand in a page that was left behind here.
  emptyWords: (table, columns) => `PRAGMA secure_delete = ON; DROP TABLE ${table}; ${fullText(table, columns)}`,
  textIndex: (name, table, column, where) => `CREATE INDEX ${name} ON ${table} (${column}, id)${where};`,
  appendOnly: (
    table,
  ) => `CREATE TRIGGER ${table}_is_not_changed BEFORE UPDATE ON ${table} BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
  CREATE TRIGGER ${table}_is_not_shortened BEFORE DELETE ON ${table} BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;`,
  // A file gives pages that are free to whoever writes next, and plans by no statistics.
  cleaned: () => '',
  isTrueIn: (column, member, inner) => `json_extract(${column}, '$.${member}.${inner}')`,
  plain: (definition) => definition,
}

function fullText(table: string, columns: readonly string[]): string {
  return `CREATE VIRTUAL TABLE ${table} USING fts5 (
    ${columns.join(', ')}, content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
  );`
}
