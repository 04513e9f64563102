import { bodyWords } from '../body-words.ts'
import type { Dialect } from '../dialect.ts'
import { wordsOfLetter } from '../letter-words.ts'
import type { Row } from '../sql.ts'
import type { CopiedTable, Found } from './copied-tables.ts'

type MadeOf = Pick<CopiedTable, 'reading' | 'rowOf'>

/** What the words of a full-text index are made of, for each of them: what was indexed in the source is indexed in the target. */
export const wordTables: Readonly<Record<string, MadeOf | undefined>> = {
  letter_text: {
    reading: {
      from: 'letter_text LEFT JOIN letters ON letters.id = letter_text.rowid LEFT JOIN contents ON contents.letter = letter_text.rowid',
      columns: [
        'letter_text.rowid AS rowid',
        'letters.reason',
        'letters.error_type',
        'letters.error_message',
        'contents.envelope',
      ],
      key: ['letter_text.rowid'],
      size: 'coalesce(octet_length(contents.envelope), 0)',
    },
    rowOf: letterWords,
  },
  body_text: {
    reading: {
      from: 'body_text LEFT JOIN contents ON contents.letter = body_text.rowid',
      columns: ['body_text.rowid AS rowid', 'contents.body'],
      key: ['body_text.rowid'],
      size: 'coalesce(octet_length(contents.body), 0)',
    },
    rowOf: ({ rowid, body }) => [rowid ?? null, bodyWords(body instanceof Uint8Array ? body : null)],
  },
}

function letterWords({ rowid, reason, error_type: type, error_message: message, envelope }: Found, target: Dialect): Row {
  const { failure, headers } = wordsOfLetter(text(envelope) ?? '', [reason, type, message].map(text))
  return [rowid ?? null, failure, target.headerWords(headers)]
}

function text(value: Found[string] | undefined): string | null {
  return typeof value === 'string' ? value : null
}
