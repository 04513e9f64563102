import { originalOf } from './dialects/original.ts'
import { withHeaders } from './headers.ts'
import { redriveHeaders } from './letter.ts'
import type { Message } from './message.ts'
import { carrying, firstRoute } from './route.ts'

export interface ReplayedLetter {
  readonly message: Message
  readonly dialect: string
  /** The name that all generations of it bear. */
  readonly name: string
  readonly generation: number
  readonly replay: number
}

/** What a replay sends: the message as it was before it died, and three headers by which it is known again if it comes back. */
export function replayedMessage({ message, dialect, name, generation, replay }: ReplayedLetter): Message {
  const original = carrying(originalOf(message, dialect), firstRoute(message))
  return {
    ...original,
    headers: withHeaders(original.headers, [
      [redriveHeaders.letter, name],
      [redriveHeaders.generation, String(generation + 1)],
      [redriveHeaders.replay, String(replay)],
    ]),
  }
}
