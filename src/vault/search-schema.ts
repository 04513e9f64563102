import type { SchemaWords } from './schema-words.ts'

/**
 * What finding one letter among a million needs. `letter_blocks` says of every 1,024 ids in a row which sources they have letters of, and from
 * when to when those failed: so that a walk from the newest letter to the oldest passes over what cannot be meant, at the price of one row
 * for a thousand letters. Only letters without an identity of their own are ever looked for by what they hold.
 *
 * `body_text` holds the words of bodies, of the sources in `body_index` alone, each up to the letter that it has come to.
 */
export const searchSchema = (words: SchemaWords): string => `
  CREATE TABLE letter_blocks (
    block INTEGER NOT NULL,
    source INTEGER NOT NULL,
    first_failed_at INTEGER NOT NULL,
    last_failed_at INTEGER NOT NULL,
    PRIMARY KEY (block, source)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO letter_blocks (block, source, first_failed_at, last_failed_at)
    SELECT id >> 10, source, min(failed_at), max(failed_at) FROM letters GROUP BY id >> 10, source;

  ${words.fullText('body_text', ['body'])}
  CREATE TABLE body_index (
    source INTEGER PRIMARY KEY,
    up_to INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE words_to_shred (
    id INTEGER PRIMARY KEY CHECK (id = 1)
  ) STRICT;

  DROP INDEX letters_completing;
  CREATE INDEX letters_completing ON letters (source, substr(identity, 1, 16), id) WHERE broker = 'completing' AND length(identity) > 16;
  CREATE INDEX letters_unaccepted ON letters (source, id) WHERE broker = 'completing';
`
