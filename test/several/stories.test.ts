import { describe } from 'vitest'
import { haveTwo } from '../control/planes-under-test.ts'

haveTwo(true)

/** What holds for one control plane holds for two, of which the one that is asked does nothing of it itself. */
describe.each([
  ['Canaries', () => import('../control/canary.test.ts')],
  ['Late reports', () => import('../control/late-reports.test.ts')],
  ['Recoveries', () => import('../control/recovery-rule.test.ts')],
  ['Replays', () => import('../control/replay.test.ts')],
  ['Triage rules', () => import('../control/triage.test.ts')],
  ['Alerts', () => import('../control/alerting.test.ts')],
  ['Sources that cannot be read', () => import('../control/unread-sources.test.ts')],
])('%s, asked of one that stands by', async (_, declare) => {
  await declare()
})
