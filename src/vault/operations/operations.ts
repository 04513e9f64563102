import { type AccessReads, type AccessWrites, accessReads, accessWrites } from './access.ts'
import { collectionBegins, lettersCompleted, nothingIsLeft } from './broker-copies.ts'
import { causeHistory, judgeCause, listCauses, ownCause, showCause } from './causes.ts'
import { claimLetters, doubtClaims, unfinishedReplays } from './claims.ts'
import { addEdit, listEdits, newestEdits, readEdit } from './edits.ts'
import {
  decideUnknown,
  discardLetters,
  endedBefore,
  eraseLetter,
  expireLetters,
  forgetTombstones,
  purgeLetters,
  restoreLetters,
} from './endings.ts'
import { exportLetters, importLetters } from './exchange.ts'
import { ingest } from './ingest.ts'
import { countLedger } from './ledger-counts.ts'
import { findLetters, readContent, showLetter } from './letters.ts'
import { addNote, listNotes } from './notes.ts'
import { assumeSuccess, awaitedDestinations, recordSends, recordSuccesses } from './outcomes.ts'
import { cancelReplay, finishReplay, pauseReplay, resumeReplay, startReplay, stopReplay } from './replay-states.ts'
import { listReplays, readLedger, replaysOfLetter, showReplay } from './replays.ts'
import { sealReplay } from './seal-replay.ts'
import { listSources, registerSource } from './sources.ts'
import { traceCorrelation } from './trace.ts'

/** What changes the vault, by name, because it is asked for from another thread. */
export interface Writes extends AccessWrites {
  readonly lettersCompleted: typeof lettersCompleted
  readonly collectionBegins: typeof collectionBegins
  readonly nothingIsLeft: typeof nothingIsLeft
  readonly judgeCause: typeof judgeCause
  readonly ownCause: typeof ownCause
  readonly addEdit: typeof addEdit
  readonly discardLetters: typeof discardLetters
  readonly restoreLetters: typeof restoreLetters
  readonly decideUnknown: typeof decideUnknown
  readonly purgeLetters: typeof purgeLetters
  readonly eraseLetter: typeof eraseLetter
  readonly expireLetters: typeof expireLetters
  readonly forgetTombstones: typeof forgetTombstones
  readonly ingest: typeof ingest
  readonly importLetters: typeof importLetters
  readonly claimLetters: typeof claimLetters
  readonly recordSends: typeof recordSends
  readonly doubtClaims: typeof doubtClaims
  readonly recordSuccesses: typeof recordSuccesses
  readonly assumeSuccess: typeof assumeSuccess
  readonly addNote: typeof addNote
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
  ...accessWrites,
  lettersCompleted,
  collectionBegins,
  nothingIsLeft,
  judgeCause,
  ownCause,
  addEdit,
  discardLetters,
  restoreLetters,
  decideUnknown,
  purgeLetters,
  eraseLetter,
  expireLetters,
  forgetTombstones,
  ingest,
  importLetters,
  claimLetters,
  recordSends,
  doubtClaims,
  recordSuccesses,
  assumeSuccess,
  addNote,
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
export interface Reads extends AccessReads {
  readonly listCauses: typeof listCauses
  readonly showCause: typeof showCause
  readonly causeHistory: typeof causeHistory
  readonly listEdits: typeof listEdits
  readonly readEdit: typeof readEdit
  readonly newestEdits: typeof newestEdits
  readonly endedBefore: typeof endedBefore
  readonly awaitedDestinations: typeof awaitedDestinations
  readonly countLedger: typeof countLedger
  readonly findLetters: typeof findLetters
  readonly showLetter: typeof showLetter
  readonly readContent: typeof readContent
  readonly exportLetters: typeof exportLetters
  readonly listNotes: typeof listNotes
  readonly showReplay: typeof showReplay
  readonly unfinishedReplays: typeof unfinishedReplays
  readonly listReplays: typeof listReplays
  readonly readLedger: typeof readLedger
  readonly replaysOfLetter: typeof replaysOfLetter
  readonly listSources: typeof listSources
  readonly traceCorrelation: typeof traceCorrelation
}

export const reads: Reads = {
  ...accessReads,
  listCauses,
  showCause,
  causeHistory,
  listEdits,
  readEdit,
  newestEdits,
  endedBefore,
  awaitedDestinations,
  countLedger,
  findLetters,
  showLetter,
  readContent,
  exportLetters,
  listNotes,
  showReplay,
  unfinishedReplays,
  listReplays,
  readLedger,
  replaysOfLetter,
  listSources,
  traceCorrelation,
}
