import type { Hold } from '../transports/seam.ts'

/** Tells once when a hold is lost that deliveries share. Watching one again costs a comparison: most come in batches of one hold. */
export function createHoldWatch(lost: (hold: Hold) => void): (hold: Hold) => void {
  const known = new WeakSet<Hold>()
  let last: Hold | undefined
  return (hold) => {
    if (hold === last) return
    last = hold
    if (known.has(hold)) return
    known.add(hold)
    hold.signal.addEventListener('abort', () => lost(hold))
  }
}
