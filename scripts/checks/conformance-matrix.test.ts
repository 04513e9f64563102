import { describe, expect, it } from 'vitest'
import { transportNames } from '../../src/transports/registry.ts'
import { conformanceMatrix } from './conformance-matrix.ts'
import { type ConformanceRecord, readRecord, recorded, sentences } from './conformance-record.ts'

const howTo = 'run npm run conformance -- --write, then npm run docs'

describe('the recorded run of the conformance suite', () => {
  it('is of the suite as it is now', () => {
    expect(readRecord().scenarios, howTo).toEqual(sentences)
  })

  it('is of every transport', () => {
    const ran = new Set(readRecord().subjects.map(({ label }) => label.split(' ')[0]))
    expect([...ran].sort(), howTo).toEqual([...transportNames].sort())
  })

  it('found nothing that fails', () => {
    expect(readRecord().subjects.flatMap(({ fails }) => fails)).toEqual([])
  })
})

describe('recording a run', () => {
  const now = new Date('2026-01-02T03:04:05Z')
  const [first = '', second = ''] = sentences
  const report = (transport: string, outcome: 'holds' | 'refuses' | 'fails') => {
    const [theme = '', scenario = ''] = first.split(/: (.*)/s)
    return { transport, shortfalls: [], verdicts: [{ theme, scenario, outcome, milliseconds: 1 }] }
  }
  const before: ConformanceRecord = {
    scenarios: sentences,
    subjects: [
      { label: 'a', date: '2025-01-01', refuses: [second], fails: [] },
      { label: 'b', date: '2025-01-01', refuses: [], fails: [] },
    ],
  }

  it('replaces what it ran and leaves the others', () => {
    expect(recorded(before, [report('b', 'refuses')], now).subjects).toEqual([
      { label: 'a', date: '2025-01-01', refuses: [second], fails: [] },
      { label: 'b', date: '2026-01-02', refuses: [first], fails: [] },
    ])
  })

  it('keeps nothing of another suite', () => {
    const older = { ...before, scenarios: sentences.slice(1) }
    expect(recorded(older, [report('b', 'holds')], now).subjects.map(({ label }) => label)).toEqual(['b'])
  })

  it('shows failures in the matrix', () => {
    const matrix = conformanceMatrix(recorded(before, [report('b', 'fails')], now))
    expect(matrix).toContain(`${sentences.length - 1} ✓, 1 –`)
    expect(matrix).toContain(`${sentences.length - 1} ✓, 1 ✗`)
  })
})
