import type { Consume as ConsumeTask } from '../consuming.ts'

/** What one contender is asked to do, in a process of its own: everything that can be sent to it. */
export interface Task {
  readonly url: string
  readonly queue: string
  readonly deadLetters: string
  /** What both queues were declared with, for libraries that insist on declaring. */
  readonly queueArguments: Readonly<Record<string, unknown>>
  readonly deadLetterArguments: Readonly<Record<string, unknown>>
  readonly queueType: 'quorum' | 'classic'
  readonly prefetch: number
  readonly messages: number
  readonly work: Work
}

/**
 * `retry-in-place`: the first run fails and the next one follows in the process, where the library can do that. `retry`: the first
 * run fails, and a copy that survives a crash brings the second.
 */
export type Work = 'succeed' | 'retry-in-place' | 'retry' | 'dead-letter'

export type Consume = ConsumeTask<Task>
