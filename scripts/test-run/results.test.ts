import { expect, it } from 'vitest'
import type { JournalLine } from './journal.ts'
import { resultsOf } from './results.ts'

const journal = (...lines: readonly JournalLine[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

const ended = { kind: 'ended', file: 'a.test.ts', seconds: 1, passed: 3, standIns: 0, skipped: [], failed: [] } as const

it('counts what passed, without what only says that something could not be had', () => {
  const results = resultsOf(journal({ ...ended, standIns: 1 }, { ...ended, file: 'b.test.ts' }), 0)

  expect(results).toMatchObject({ passed: 5, failures: [], skipped: [] })
})

it('tells what failed, with the beginning of what it says', () => {
  const message = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n')
  const { failures } = resultsOf(journal({ ...ended, failed: [{ name: 'keeps letters', message }] }), 0)

  expect(failures).toHaveLength(1)
  expect(failures[0]).toContain('FAILED: a.test.ts: keeps letters\n  line 0\n')
  expect(failures[0]).not.toContain('line 12')
})

it('tells the files that were under way when a run was broken off', () => {
  const { failures } = resultsOf(
    journal({ kind: 'began', file: 'a.test.ts', at: 1_000 }, { kind: 'began', file: 'hangs.test.ts', at: 2_000 }, ended),
    62_000,
  )

  expect(failures).toEqual(['FAILED: hangs.test.ts: no end after 60 s'])
})

it('tells errors outside of tests', () => {
  expect(resultsOf(journal({ kind: 'unhandled', message: 'a worker died' }), 0).failures).toEqual([
    'FAILED: outside of any test\n  a worker died',
  ])
})

it('lists the files that took longest', () => {
  const { slowest } = resultsOf(journal(ended, { ...ended, file: 'b.test.ts', seconds: 61.4 }), 0)

  expect(slowest).toEqual(['   61 s  b.test.ts', '    1 s  a.test.ts'])
})
