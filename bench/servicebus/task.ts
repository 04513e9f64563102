import type { Library as AnyLibrary, AnyTask } from '../library.ts'

export interface Task extends AnyTask {
  readonly connectionString: string
  readonly adminEndpoint: string
  /** The queue that it has for itself. */
  readonly queue: string
}

export type Library = AnyLibrary<Task>
