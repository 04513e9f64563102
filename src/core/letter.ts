import type { FailedRun } from './failed-runs.ts'
import type { Failure } from './failure.ts'
import type { Message } from './message.ts'
import type { NewId } from './ports.ts'

/** Everything a dialect may write about a dead letter. The message is the original, byte for byte. */
export interface LetterDraft {
  readonly message: Message
  readonly failure: Failure
  /** The runs that failed before, as far as they are known; where the failure is of a run, that one is the last. */
  readonly failedRuns: readonly FailedRun[]
  readonly origin: Origin
  readonly consumer: { readonly service: string; readonly version?: string; readonly environment: string }
  /** The same for every copy of one dead letter, however often a crash made us write it. */
  readonly letter: string
  /** How often this message was replayed before. */
  readonly generation: number
  /** The correlation id of the message, or one that was made up because it had none. */
  readonly correlationId: string
  /** Retries made before it was given up: attempts and runs beyond the first (seed 003). */
  readonly retries: number
  readonly maxRetries: number
  /** Draws an id, for dialects whose dead letter is a message of its own. */
  readonly newId: NewId
  /** Epoch milliseconds at which the letter is written. */
  readonly writtenAt: number
}

export interface Origin {
  readonly channel: string
  readonly group?: string
  readonly position?: string
  /** Where the first copy stood: a copy of a retry stands elsewhere. */
  readonly firstPosition?: string
}

/** Writes a letter in one producer's way, with headers of at most `headerBudget` bytes. Pure, but for an id that it may draw. */
export type DialectWriter = (draft: LetterDraft, headerBudget: number) => Message

/** Headers that carry Redrive's own state between copies of one message. */
export const redriveHeaders = {
  /** Turns that earlier copies of this message had. */
  attempts: 'redrive-attempts',
  /** What earlier runs of this message failed with: see `failed-runs.ts`. */
  failedRuns: 'redrive-failed-runs',
  /** On a copy that runs alone, where nothing but copies records a turn. */
  suspect: 'redrive-suspect',
  /** Where the first copy stood, so that all copies of a message give one letter id. */
  originPosition: 'redrive-origin-position',
  originChannel: 'redrive-origin-channel',
  letter: 'redrive-letter',
  generation: 'redrive-generation',
  replay: 'redrive-replay',
  /** Where the body stands that was too large to travel. It belongs to the message: letters and replays keep it. */
  body: 'redrive-body',
} as const
