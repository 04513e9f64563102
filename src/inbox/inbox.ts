import { RedriveError } from '../core/errors.ts'
import { textHeader } from '../core/headers.ts'
import { redriveHeaders } from '../core/letter.ts'
import type { Message } from '../core/message.ts'

/**
 * A broker delivers at least once: after a crash, a lost connection or a replay a message comes again that was processed before. An
 * inbox remembers what was processed, so that the second delivery changes nothing.
 *
 *   first   Nobody has processed it: go on.
 *   busy    Somebody is at it now: let it come back later.
 *   done    It was processed: there is nothing to do.
 */
export type Claim = 'first' | 'busy' | 'done'

/** Whatever carries a message: the context of a handler does. */
export interface Claimed {
  readonly message: Message
}

/**
 * What two deliveries of one message have in common. A dead letter that is sent back is meant to be processed again, once: the letter
 * and its generation name it, however often it is sent and by however many replays. When it dies once more, its next generation is another one.
 */
export function inboxKey({ id, headers }: Message): string {
  const letter = textHeader(headers, redriveHeaders.letter)
  const generation = textHeader(headers, redriveHeaders.generation)
  if (letter !== undefined && generation !== undefined) return `generation ${generation} of ${letter}`
  if (id !== undefined) return `message ${id}`
  throw new RedriveError('bad-message', 'The message has no id, so nobody can tell whether it was processed before.')
}
