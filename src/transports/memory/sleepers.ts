import type { Claimant } from './entry.ts'

/** Claimants whose take waits for something to come. */
export interface Sleepers {
  /** Adds a claimant that has something to be called by, and drops one that no longer has. */
  wait(claimant: Claimant): void
  /** Something may have come. */
  call(): void
}

export function createSleepers(): Sleepers {
  const asleep = new Set<Claimant>()
  let calling = false

  function callAll(): void {
    calling = false
    for (const claimant of asleep) claimant.awake?.()
  }

  return {
    wait(claimant) {
      if (claimant.awake === undefined) asleep.delete(claimant)
      else asleep.add(claimant)
    },
    /** Once after everything that is under way, so that messages which arrive together are handed out together. */
    call() {
      if (asleep.size === 0 || calling) return
      calling = true
      queueMicrotask(callAll)
    },
  }
}
