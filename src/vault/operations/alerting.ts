import { causeFacts, newLetters, oldestOpen } from './alert-evidence.ts'
import { addSilence, listSilences, markAlert, moveSilenceEnd, quietAt } from './alert-quiet.ts'
import { commitAlerts, engineState, listAlerts, savedAlerts, showAlert } from './alert-records.ts'
import { countedSamples, forgetSamples, lastSamples, listSamples, recentSamples } from './alert-samples.ts'
import {
  deliveryFailed,
  deliveryGivenUp,
  deliverySent,
  forgetDeliveries,
  listDeliveries,
  redeliver,
  sinkHealth,
  waitingDeliveries,
} from './deliveries.ts'
import { settledLetters } from './settled-letters.ts'

/** What changes alerts, and what people are told of them. None of it touches what letters are kept in, and so it is written while letters are. */
export interface AlertWrites {
  readonly commitAlerts: typeof commitAlerts
  readonly markAlert: typeof markAlert
  readonly addSilence: typeof addSilence
  readonly moveSilenceEnd: typeof moveSilenceEnd
  readonly forgetSamples: typeof forgetSamples
  readonly deliverySent: typeof deliverySent
  readonly deliveryFailed: typeof deliveryFailed
  readonly deliveryGivenUp: typeof deliveryGivenUp
  readonly redeliver: typeof redeliver
  readonly forgetDeliveries: typeof forgetDeliveries
}

export const alertWrites: AlertWrites = {
  commitAlerts,
  markAlert,
  addSilence,
  moveSilenceEnd,
  forgetSamples,
  deliverySent,
  deliveryFailed,
  deliveryGivenUp,
  redeliver,
  forgetDeliveries,
}

export interface AlertReads {
  readonly savedAlerts: typeof savedAlerts
  readonly engineState: typeof engineState
  readonly listAlerts: typeof listAlerts
  readonly showAlert: typeof showAlert
  readonly countedSamples: typeof countedSamples
  readonly lastSamples: typeof lastSamples
  readonly listSamples: typeof listSamples
  readonly recentSamples: typeof recentSamples
  readonly listSilences: typeof listSilences
  readonly quietAt: typeof quietAt
  readonly newLetters: typeof newLetters
  readonly settledLetters: typeof settledLetters
  readonly causeFacts: typeof causeFacts
  readonly oldestOpen: typeof oldestOpen
  readonly waitingDeliveries: typeof waitingDeliveries
  readonly listDeliveries: typeof listDeliveries
  readonly sinkHealth: typeof sinkHealth
}

export const alertReads: AlertReads = {
  savedAlerts,
  engineState,
  listAlerts,
  showAlert,
  countedSamples,
  lastSamples,
  listSamples,
  recentSamples,
  listSilences,
  quietAt,
  newLetters,
  settledLetters,
  causeFacts,
  oldestOpen,
  waitingDeliveries,
  listDeliveries,
  sinkHealth,
}
