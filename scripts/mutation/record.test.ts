import { expect, it } from 'vitest'
import { readRecord } from './record.ts'
import { scoreOf, total } from './report.ts'

it('at least 85 % of the mutants of the core are killed, as recorded', () => {
  expect(scoreOf(total(Object.values(readRecord())))).toBeGreaterThanOrEqual(0.85)
})
