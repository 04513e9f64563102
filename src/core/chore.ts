import type { Cancel, Clock } from './ports.ts'

/** What is to be done now, and again and again. */
export interface Chore {
  start(): void
  /** Resolves when it is not under way any more, and will not be. */
  stop(): Promise<void>
}

export interface ChoreOptions {
  readonly clock: Clock
  /** Milliseconds from the end of one time to the beginning of the next, so that it is never under way twice. */
  readonly every: number
  readonly work: () => Promise<void>
  /** It is done again all the same. */
  readonly onFailure: (error: unknown) => void
}

export function createChore({ clock, every, work, onFailure }: ChoreOptions): Chore {
  let running: Promise<void> | undefined
  let isStopped = false
  let cancel: Cancel = () => {}

  async function once(): Promise<void> {
    await work().catch(onFailure)
    if (!isStopped) cancel = clock.after(every, start, { background: true })
  }

  function start(): void {
    running = once()
  }

  return {
    start,
    async stop() {
      isStopped = true
      cancel()
      await running
    },
  }
}
