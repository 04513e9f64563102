/** What one contender is asked to do, in a process of its own. */
export interface Task {
  readonly url: string
  readonly topic: string
  readonly deadLetters: string
  readonly group: string
  readonly messages: number
  readonly work: Work
}

/** `poison`: one message in a hundred is dead-lettered, the others succeed. */
export type Work = 'succeed' | 'dead-letter' | 'poison'

export function fails(work: Work, order: number): boolean {
  return work === 'dead-letter' || (work === 'poison' && order % 100 === 0)
}

export interface Progress {
  /** Called when a handler begins. */
  began(): void
  /** Called when the run of a message is over. */
  handled(): void
}

export interface Consumption {
  /** Called when all messages are handled: resolves when their offsets are committed. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Starts to consume. One module for each contender. */
export type Consume = (task: Task, progress: Progress) => Promise<Consumption>
