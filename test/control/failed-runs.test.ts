import { expect, test } from 'vitest'
import { type FailedRun, failedRunsText } from '../../src/core/failed-runs.ts'
import { redriveHeaders } from '../../src/core/letter.ts'
import { lettersIn } from '../../src/ops/letters.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { deadLetter, keep, noon, openVault, sourceIn } from './letters.fixture.ts'

const run = (attempt: number, description: string): FailedRun => ({
  attempt,
  at: noon - 1000 + attempt,
  errorType: 'RangeError',
  description,
})

async function aLetterWith(runs: readonly FailedRun[], body = '{"order":1}') {
  const vault = openVault()
  const headers = [[redriveHeaders.failedRuns, failedRunsText(runs)] as const]
  const [id = 0] = await keep(vault, await sourceIn(vault), [deadLetter({ n: 1, body, headers })])
  return { id, letters: lettersIn(vault, virtualClock({ start: noon }), () => {}) }
}

test('a letter is shown with what its earlier runs failed with', async () => {
  const runs = [run(1, 'card declined'), run(2, 'card still declined')]
  const { id, letters } = await aLetterWith(runs)
  expect(await letters.failedRuns(id)).toEqual(runs)
})

test('what is said of a run never quotes the payload, whoever wrote it', async () => {
  const { id, letters } = await aLetterWith([run(1, 'no such patient Quintessa Roe')], '{"patient":"Quintessa Roe"}')
  const [shown] = await letters.failedRuns(id)
  expect(shown?.description).toBe('RangeError: [REDACTED - potentially sensitive data]')
})

test('of a letter whose content was erased, nothing is told of its runs', async () => {
  const { id, letters } = await aLetterWith([run(1, 'card declined')])
  await letters.erase(id, { actor: 'ana' })
  expect(await letters.failedRuns(id)).toEqual([])
})
