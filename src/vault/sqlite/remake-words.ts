import type { DatabaseSync } from 'node:sqlite'
import { insertWords, wordsOfLetter } from '../letter-words.ts'
import { headerWords } from './header-words.ts'

interface Kept {
  readonly letter: number
  readonly envelope: string
  readonly reason: string | null
  readonly type: string | null
  readonly message: string | null
}

const kept = `SELECT contents.letter, contents.envelope, letters.reason, letters.error_type AS type, letters.error_message AS message
  FROM contents JOIN letters ON letters.id = contents.letter ORDER BY contents.letter`

/** Fills the index of letters, which holds nothing. A letter that was erased has no content, and no words. */
export function remakeWords(db: DatabaseSync): void {
  const insert = db.prepare(insertWords)
  for (const row of db.prepare(kept).iterate()) {
    const { letter, envelope, reason, type, message } = row as unknown as Kept
    const { failure, headers } = readable(envelope, [reason, type, message])
    insert.run(letter, failure, headerWords(headers))
  }
}

/** Of a letter that is damaged, whoever asks for it is told so; the others are not to be kept from being opened. */
function readable(envelope: string, said: readonly (string | null)[]): ReturnType<typeof wordsOfLetter> {
  try {
    return wordsOfLetter(envelope, said)
  } catch {
    return wordsOfLetter('', said)
  }
}
