import { type Run, type RunOptions, runReplay } from './run-replay.ts'

/** All replays that run in this process, each of them once. */
export interface Runner {
  /** Where it runs already, it looks again. */
  run(replay: number): void
  wake(replay: number): void
  /** Whether it runs in this process. */
  has(replay: number): boolean
  wakeAll(): void
  /** Goes on with everything that was running when the last control plane ended. */
  takeOver(): Promise<void>
  halt(): Promise<void>
}

/** Of a control plane that serves, while another one works: that one hears what was told, or looks for itself. */
export const runsElsewhere: Runner = {
  run() {},
  wake() {},
  has: () => false,
  wakeAll() {},
  async takeOver() {},
  async halt() {},
}

const tryAgainAfter = 5000

export function createRunner(options: RunOptions & { readonly onFailure: (replay: number, error: unknown) => void }): Runner {
  const runs = new Map<number, { run: Run; again: boolean }>()
  let halted = false

  function run(replay: number): void {
    const known = runs.get(replay)
    if (known) {
      // It may be about to end because it was paused a moment ago.
      known.again = true
      known.run.wake()
    } else if (!halted) {
      begin(replay)
    }
  }

  function begin(replay: number): void {
    const entry = { run: runReplay(replay, options), again: false }
    runs.set(replay, entry)
    void entry.run.ended
      .catch((error) => {
        options.onFailure(replay, error)
        // The vault was busy, or its disk full: nobody but us goes on with this replay.
        if (!halted) options.clock.after(tryAgainAfter, () => run(replay), { background: true })
      })
      .finally(() => {
        runs.delete(replay)
        if (entry.again) run(replay)
      })
  }

  return {
    run,
    wake: (replay) => runs.get(replay)?.run.wake(),
    has: (replay) => runs.has(replay),
    wakeAll() {
      for (const { run: each } of runs.values()) each.wake()
    },
    async takeOver() {
      for (const replay of await options.vault.read('unfinishedReplays', undefined)) run(replay)
    },
    async halt() {
      halted = true
      await Promise.allSettled([...runs.values()].map(({ run: each }) => each.halt()))
    },
  }
}
