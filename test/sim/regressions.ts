/**
 * Seeds that once broke a promise, run first and for ever. What a seed draws changes when the simulator learns to draw more; what is
 * kept is the habit of looking there first.
 */
export const regressions: readonly number[] = [
  // A delivery that was lost between take and admission took the last room with it.
  112,
  // Settled twice, counted twice: the checker's own fault.
  318,
  // What a message may be taken for poison for: one that was given back on a broker that only says "redelivered", one that fails once.
  3122,
  5331,
  // How often it may run where a copy was sent twice.
  4864,
  // What was buried as poison, without a run, kept the breaker from opening.
  567,
  // A release that failed, and one that outlasted the lock of the first in its lane: later ones ran first.
  5042, 7310,
]
