import type { Scenario } from './scenario.ts'
import { browseScenarios } from './scenarios/browse.ts'
import { crashScenarios } from './scenarios/crash.ts'
import { headersAndBytesScenarios } from './scenarios/headers-and-bytes.ts'
import { invalidScenarios } from './scenarios/invalid.ts'
import { laneScenarios } from './scenarios/lanes.ts'
import { lifecycleScenarios } from './scenarios/lifecycle.ts'
import { measureScenarios } from './scenarios/measure.ts'
import { moveScenarios } from './scenarios/move.ts'
import { provisionScenarios } from './scenarios/provision.ts'
import { receiveScenarios } from './scenarios/receive.ts'
import { rejectScenarios } from './scenarios/reject.ts'
import { retryScenarios } from './scenarios/retry.ts'
import { sendScenarios } from './scenarios/send.ts'
import { settleScenarios } from './scenarios/settle.ts'

/** The whole suite. */
export const allScenarios: readonly Scenario[] = [
  ...receiveScenarios,
  ...settleScenarios,
  ...retryScenarios,
  ...moveScenarios,
  ...rejectScenarios,
  ...invalidScenarios,
  ...laneScenarios,
  ...sendScenarios,
  ...browseScenarios,
  ...provisionScenarios,
  ...measureScenarios,
  ...lifecycleScenarios,
  ...headersAndBytesScenarios,
  ...crashScenarios,
]
