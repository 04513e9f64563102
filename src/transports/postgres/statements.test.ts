import { expect, test } from 'vitest'
import { moveStatement } from './statements.ts'

/** From version 16 on, a server sorts what an aggregate over distinct values reads, and with it what stands beside that; an older one does not show it. */
test('outcomes of letters come in the order in which they were asked, on every server', () => {
  const { sql } = moveStatement('queue', [])
  expect(sql).toContain('array_agg(outcome ORDER BY place)')
  expect(sql).not.toContain('DISTINCT')
})
