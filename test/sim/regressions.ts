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
  // Batches beside a breaker: what a batch says is heard when it ends, and one that began before goes on. The checker's own fault.
  277,
  1578, 1590,
]

/** The same of replays. */
export const replayRegressions: readonly number[] = [
  // Somebody chose to send an unknown letter again, and it died both times: the second death was known, and its replay not told.
  8279, 9863,
]

/** The same of alerts. */
export const alertRegressions: readonly number[] = [
  // A broker that had come and gone was never told to be back: nobody looked again at what had not changed.
  39,
  // One queue was empty again, and nobody heard of it while another one of its group was muted.
  76, 107,
  // What ended was lost between what was held back, and receivers that keep groups were never told of their ends.
  208, 250, 295,
]
