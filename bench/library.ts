import { type Consume, type Consumption, consumeAll } from './consuming.ts'
import type { Contender, PreparedRun } from './measure.ts'

/** What one contender is asked to do, in a process of its own, wherever that is. */
export interface AnyTask {
  readonly messages: number
  readonly work: Work
}

/** The same on a server that has one address. */
export interface Task extends AnyTask {
  readonly url: string
  /** With what the name of everything on the server begins. */
  readonly prefix: string
}

/** Whether every message of a run succeeds, or every one becomes a letter. */
export type Work = 'succeed' | 'dead-letter'

export function fails({ work }: AnyTask): () => boolean {
  return () => work === 'dead-letter'
}

export const channels = { work: 'work', deadLetters: 'dead' } as const

/** Each library has its own way to put messages there, and to keep those that failed. */
export interface Library<T extends AnyTask = Task> {
  fill(task: T): Promise<void>
  readonly consume: Consume<T>
  /** How many it has kept of those that failed. */
  letters(task: T): Promise<number>
}

/** Unsettled at one time, for everybody. */
export const inHand = 200

/** Loaded when its turn comes: a process knows nothing of the other libraries. */
export type LoadLibrary<T extends AnyTask = Task> = () => Promise<{ readonly library: Library<T> }>

export function libraryContender<T extends AnyTask = Task>(
  name: string,
  load: LoadLibrary<T> | undefined,
  task: (messages: number) => T,
): Contender {
  return {
    name,
    async prepare(messages) {
      if (!load) throw new Error(`There is no contender ${name}.`)
      const { library } = await load()
      const asked = task(messages)
      await library.fill(asked)
      return runOf(library, asked)
    },
  }
}

/** From the first message in a handler to the last settlement; then it is counted what was lost. */
function runOf<T extends AnyTask>(library: Library<T>, task: T): PreparedRun {
  let consumption: Consumption | undefined
  let lost = 0
  return {
    async run(begin) {
      consumption = await consumeAll(library.consume, task, begin)
    },
    async cleanUp() {
      await consumption?.close()
      lost = (task.work === 'dead-letter' ? task.messages : 0) - (await library.letters(task))
    },
    figures: () => ({ lost }),
  }
}
