import { collectionBegins, lettersCompleted } from './broker-copies.ts'
import { causeHistory, judgeCause, listCauses, ownCause, showCause } from './causes.ts'
import { ingest } from './ingest.ts'
import { assumeSuccess, claimLetters, countLedger, doubtClaims, recordSends, recordSuccesses } from './ledger.ts'
import { findLetters, readContent, showLetter } from './letters.ts'
import { cancelReplay, finishReplay, pauseReplay, resumeReplay, startReplay, stopReplay } from './replay-states.ts'
import { listReplays, readLedger, showReplay } from './replays.ts'
import { sealReplay } from './seal-replay.ts'
import { listSources, registerSource } from './sources.ts'

/** What changes the vault, by name, because it is asked for from another thread. */
export interface Writes {
  readonly lettersCompleted: typeof lettersCompleted
  readonly collectionBegins: typeof collectionBegins
  readonly judgeCause: typeof judgeCause
  readonly ownCause: typeof ownCause
  readonly ingest: typeof ingest
  readonly claimLetters: typeof claimLetters
  readonly recordSends: typeof recordSends
  readonly doubtClaims: typeof doubtClaims
  readonly recordSuccesses: typeof recordSuccesses
  readonly assumeSuccess: typeof assumeSuccess
  readonly startReplay: typeof startReplay
  readonly pauseReplay: typeof pauseReplay
  readonly resumeReplay: typeof resumeReplay
  readonly stopReplay: typeof stopReplay
  readonly finishReplay: typeof finishReplay
  readonly cancelReplay: typeof cancelReplay
  readonly sealReplay: typeof sealReplay
  readonly registerSource: typeof registerSource
}

export const writes: Writes = {
  lettersCompleted,
  collectionBegins,
  judgeCause,
  ownCause,
  ingest,
  claimLetters,
  recordSends,
  doubtClaims,
  recordSuccesses,
  assumeSuccess,
  startReplay,
  pauseReplay,
  resumeReplay,
  stopReplay,
  finishReplay,
  cancelReplay,
  sealReplay,
  registerSource,
}

/** What only looks. */
export interface Reads {
  readonly listCauses: typeof listCauses
  readonly showCause: typeof showCause
  readonly causeHistory: typeof causeHistory
  readonly countLedger: typeof countLedger
  readonly findLetters: typeof findLetters
  readonly showLetter: typeof showLetter
  readonly readContent: typeof readContent
  readonly showReplay: typeof showReplay
  readonly listReplays: typeof listReplays
  readonly readLedger: typeof readLedger
  readonly listSources: typeof listSources
}

export const reads: Reads = {
  listCauses,
  showCause,
  causeHistory,
  countLedger,
  findLetters,
  showLetter,
  readContent,
  showReplay,
  listReplays,
  readLedger,
  listSources,
}
