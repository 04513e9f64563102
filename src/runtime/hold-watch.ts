import type { Hold } from '../transports/seam.ts'

/** Tells once when a hold is lost. Watching one again costs a comparison: most deliveries come in batches that share theirs. */
export function createHoldWatch(lost: (hold: Hold) => void): (hold: Hold) => void {
  const known = new WeakSet<Hold>()
  let last: Hold | undefined
  return (hold) => {
    if (hold === last) return
    last = hold
    if (known.has(hold)) return
    known.add(hold)
    if (hold.signal.aborted) lost(hold)
    else hold.signal.addEventListener('abort', () => lost(hold))
  }
}
