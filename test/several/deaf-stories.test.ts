import { describe } from 'vitest'
import { haveTwo } from '../control/planes-under-test.ts'

haveTwo(false)

/** Every notification is lost: the one that works finds by looking what the other one was asked for. */
describe.each([
  ['Canaries', () => import('../control/canary.test.ts')],
  ['Recoveries', () => import('../control/recovery-rule.test.ts')],
])('%s, asked of one that stands by and tells nobody', async (_, declare) => {
  await declare()
})
