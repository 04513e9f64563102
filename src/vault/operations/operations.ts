import { type AccessReads, type AccessWrites, accessReads, accessWrites } from './access.ts'
import { advanceReplay } from './advance-replay.ts'
import { type AlertReads, type AlertWrites, alertReads, alertWrites } from './alerting.ts'
import { indexBodies, searchBodiesOf, shredWords } from './body-index.ts'
import { collectionBegins, lettersCompleted, nothingIsLeft } from './broker-copies.ts'
import { causeMembers, decisionsAbout, showDecision, unsettledDecisions } from './cause-decisions.ts'
import { causeHistories, causeHistory, causesWithLettersOf, judgeCause, listCauses, ownCause, showCause } from './causes.ts'
import { doubtClaims, stepsUnderWay, unfinishedReplays } from './claims.ts'
import { balanceSources } from './conservation.ts'
import { forgetConsumer, keepReport, listConsumers, orderChannel } from './consumers.ts'
import { addEdit, listEdits, newestEdits, readEdit } from './edits.ts'
import {
  decideUnknown,
  discardLetters,
  eraseLetter,
  expireLetters,
  longestEnded,
  purgeLetters,
  restoreLetters,
} from './endings.ts'
import { exportLetters, importLetters } from './exchange.ts'
import { countByCause, countLetters, findLetters } from './find-letters.ts'
import { readFlow } from './flow.ts'
import { forgetOld } from './forget-old.ts'
import { forgetReplays } from './forget-replays.ts'
import { ingest } from './ingest.ts'
import { countLedger, countReplayed, lastProgress } from './ledger-counts.ts'
import { readContent, showLetter } from './letters.ts'
import { mergeCauses } from './merge-causes.ts'
import { moveLetters } from './move-letters.ts'
import { addNote, causeNotes, listNotes } from './notes.ts'
import { assumeSuccess, awaitedDestinations, doubtSent } from './outcomes.ts'
import { planLetters } from './plan-letters.ts'
import { forgetRecovery, pendingRecoveries } from './recoveries.ts'
import { isToBeScrubbed, rekeyBegins, rekeyEnds, rekeyStep } from './rekey.ts'
import { finishReplay, pauseReplay, resumeReplay, stopReplay } from './replay-states.ts'
import { listReplays, readLedger, replaysOfLetter, replaysWithin, showReplay } from './replays.ts'
import { dueReplays, missedReplays, missReplay, scheduleReplay } from './schedule-replay.ts'
import { addToReplay, checkSeal, draftReplay, sealReplay } from './seal-replay.ts'
import { listSources, noteReading, registerSource, showSource, sourceKeeps } from './sources.ts'
import { splitCause } from './split-cause.ts'
import { beginCancel, beginStart, releaseLetters, takeLetters } from './take-and-release.ts'
import { traceCorrelation } from './trace.ts'
import { undoDecision } from './undo-decision.ts'
import { listVaultKeys, useKeys } from './vault-keys.ts'

/** What changes the vault, by name, because it is asked for from another thread. */
export interface Writes extends AccessWrites, AlertWrites {
  readonly lettersCompleted: typeof lettersCompleted
  readonly collectionBegins: typeof collectionBegins
  readonly nothingIsLeft: typeof nothingIsLeft
  readonly judgeCause: typeof judgeCause
  readonly mergeCauses: typeof mergeCauses
  readonly splitCause: typeof splitCause
  readonly undoDecision: typeof undoDecision
  readonly moveLetters: typeof moveLetters
  readonly ownCause: typeof ownCause
  readonly addEdit: typeof addEdit
  readonly discardLetters: typeof discardLetters
  readonly restoreLetters: typeof restoreLetters
  readonly decideUnknown: typeof decideUnknown
  readonly purgeLetters: typeof purgeLetters
  readonly eraseLetter: typeof eraseLetter
  readonly expireLetters: typeof expireLetters
  readonly forgetOld: typeof forgetOld
  readonly forgetReplays: typeof forgetReplays
  readonly ingest: typeof ingest
  readonly importLetters: typeof importLetters
  readonly advanceReplay: typeof advanceReplay
  readonly doubtClaims: typeof doubtClaims
  readonly keepReport: typeof keepReport
  readonly forgetRecovery: typeof forgetRecovery
  readonly orderChannel: typeof orderChannel
  readonly forgetConsumer: typeof forgetConsumer
  readonly assumeSuccess: typeof assumeSuccess
  readonly doubtSent: typeof doubtSent
  readonly addNote: typeof addNote
  readonly beginStart: typeof beginStart
  readonly scheduleReplay: typeof scheduleReplay
  readonly missReplay: typeof missReplay
  readonly takeLetters: typeof takeLetters
  readonly pauseReplay: typeof pauseReplay
  readonly resumeReplay: typeof resumeReplay
  readonly stopReplay: typeof stopReplay
  readonly finishReplay: typeof finishReplay
  readonly beginCancel: typeof beginCancel
  readonly releaseLetters: typeof releaseLetters
  readonly draftReplay: typeof draftReplay
  readonly addToReplay: typeof addToReplay
  readonly sealReplay: typeof sealReplay
  readonly registerSource: typeof registerSource
  readonly sourceKeeps: typeof sourceKeeps
  readonly noteReading: typeof noteReading
  readonly searchBodiesOf: typeof searchBodiesOf
  readonly indexBodies: typeof indexBodies
  readonly shredWords: typeof shredWords
  readonly useKeys: typeof useKeys
  readonly rekeyBegins: typeof rekeyBegins
  readonly rekeyStep: typeof rekeyStep
  readonly rekeyEnds: typeof rekeyEnds
}

export const writes: Writes = {
  ...accessWrites,
  ...alertWrites,
  lettersCompleted,
  collectionBegins,
  nothingIsLeft,
  judgeCause,
  mergeCauses,
  splitCause,
  undoDecision,
  moveLetters,
  ownCause,
  addEdit,
  discardLetters,
  restoreLetters,
  decideUnknown,
  purgeLetters,
  eraseLetter,
  expireLetters,
  forgetOld,
  forgetReplays,
  ingest,
  importLetters,
  advanceReplay,
  doubtClaims,
  keepReport,
  forgetRecovery,
  orderChannel,
  forgetConsumer,
  assumeSuccess,
  doubtSent,
  addNote,
  beginStart,
  scheduleReplay,
  missReplay,
  takeLetters,
  pauseReplay,
  resumeReplay,
  stopReplay,
  finishReplay,
  beginCancel,
  releaseLetters,
  draftReplay,
  addToReplay,
  sealReplay,
  registerSource,
  sourceKeeps,
  noteReading,
  searchBodiesOf,
  indexBodies,
  shredWords,
  useKeys,
  rekeyBegins,
  rekeyStep,
  rekeyEnds,
}

/**
 * Those of which one may be on its way for each source at the same time: they change rows of their source, count in rows that all share, and say last what
 * they write (`Sql.lastly`). Where more than that is to be done, they ask to be alone.
 * A note may be on its way beside the others: it has one row, and waits for no second one.
 */
export const sideWrites: ReadonlySet<string> = new Set<keyof Writes>(['ingest', 'lettersCompleted', 'noteReading'])

/** What only looks. */
export interface Reads extends AccessReads, AlertReads {
  readonly balanceSources: typeof balanceSources
  readonly listCauses: typeof listCauses
  readonly showCause: typeof showCause
  readonly causesWithLettersOf: typeof causesWithLettersOf
  readonly causeHistory: typeof causeHistory
  readonly causeMembers: typeof causeMembers
  readonly decisionsAbout: typeof decisionsAbout
  readonly showDecision: typeof showDecision
  readonly unsettledDecisions: typeof unsettledDecisions
  readonly causeHistories: typeof causeHistories
  readonly readFlow: typeof readFlow
  readonly listEdits: typeof listEdits
  readonly readEdit: typeof readEdit
  readonly newestEdits: typeof newestEdits
  readonly longestEnded: typeof longestEnded
  readonly awaitedDestinations: typeof awaitedDestinations
  readonly checkSeal: typeof checkSeal
  readonly countLedger: typeof countLedger
  readonly lastProgress: typeof lastProgress
  readonly countReplayed: typeof countReplayed
  readonly findLetters: typeof findLetters
  readonly planLetters: typeof planLetters
  readonly countLetters: typeof countLetters
  readonly countByCause: typeof countByCause
  readonly showLetter: typeof showLetter
  readonly readContent: typeof readContent
  readonly exportLetters: typeof exportLetters
  readonly listNotes: typeof listNotes
  readonly causeNotes: typeof causeNotes
  readonly showReplay: typeof showReplay
  readonly unfinishedReplays: typeof unfinishedReplays
  readonly dueReplays: typeof dueReplays
  readonly missedReplays: typeof missedReplays
  readonly stepsUnderWay: typeof stepsUnderWay
  readonly listReplays: typeof listReplays
  readonly readLedger: typeof readLedger
  readonly replaysOfLetter: typeof replaysOfLetter
  readonly replaysWithin: typeof replaysWithin
  readonly listSources: typeof listSources
  readonly showSource: typeof showSource
  readonly traceCorrelation: typeof traceCorrelation
  readonly listConsumers: typeof listConsumers
  readonly pendingRecoveries: typeof pendingRecoveries
  readonly listVaultKeys: typeof listVaultKeys
  readonly isToBeScrubbed: typeof isToBeScrubbed
}

export const reads: Reads = {
  ...accessReads,
  balanceSources,
  ...alertReads,
  listCauses,
  showCause,
  causesWithLettersOf,
  causeHistory,
  causeMembers,
  decisionsAbout,
  showDecision,
  unsettledDecisions,
  causeHistories,
  readFlow,
  listEdits,
  readEdit,
  newestEdits,
  longestEnded,
  awaitedDestinations,
  checkSeal,
  countLedger,
  lastProgress,
  countReplayed,
  findLetters,
  planLetters,
  countLetters,
  countByCause,
  showLetter,
  readContent,
  exportLetters,
  listNotes,
  causeNotes,
  showReplay,
  unfinishedReplays,
  dueReplays,
  missedReplays,
  stepsUnderWay,
  listReplays,
  readLedger,
  replaysOfLetter,
  replaysWithin,
  listSources,
  showSource,
  traceCorrelation,
  listConsumers,
  pendingRecoveries,
  listVaultKeys,
  isToBeScrubbed,
}
