import type { Consume as ConsumeTask } from '../consuming.ts'

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

export type Consume = ConsumeTask<Task>
