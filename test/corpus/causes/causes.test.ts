import { describe, expect, test } from 'vitest'
import { type LabelledError, parts, readPart, score } from './score.ts'

const all = parts.flatMap(readPart)

describe('the corpus of labelled errors', () => {
  test('holds at least 300 errors of five languages', () => {
    expect(all.length).toBeGreaterThanOrEqual(300)
    const languages = Map.groupBy(all, ({ language }) => language)
    expect([...languages.keys()].sort()).toEqual(['dotnet', 'go', 'java', 'node', 'python'])
    for (const errors of languages.values()) expect(errors.length).toBeGreaterThanOrEqual(50)
  })

  test('has no label in two of its parts, so that no part is easier for another', () => {
    const labels = parts.flatMap((part) => [...new Set(readPart(part).map(({ cause }) => cause))])
    expect(new Set(labels).size).toBe(labels.length)
  })

  test('is grouped with a pairwise precision and recall of at least 0.95', () => {
    const { precision, recall } = score(all)
    expect(precision).toBeGreaterThanOrEqual(0.95)
    expect(recall).toBeGreaterThanOrEqual(0.95)
  })

  test('planted bug: grouping by type alone merges, and grouping by the whole text splits', () => {
    expect(score(all, ({ errorType }) => errorType ?? '').precision).toBeLessThan(0.95)
    expect(score(all, ({ errorType, errorMessage }, channel) => `${errorType} ${errorMessage} ${channel}`).recall).toBeLessThan(
      0.95,
    )
  })
})

describe('the score', () => {
  const error = (cause: string, message: string): LabelledError => ({ cause, message, language: 'go', type: 'T', channel: 'q' })
  const byMessage = ({ errorMessage }: { errorMessage?: string }): string => errorMessage ?? ''

  test('counts pairs', () => {
    // Grouped: x x x | y y. Right pairs: a-a among the x, b-b among the y.
    const errors = [error('a', 'x'), error('a', 'x'), error('b', 'x'), error('b', 'y'), error('b', 'y')]
    expect(score(errors, byMessage)).toEqual({
      errors: 5,
      causes: 2,
      precision: 2 / 4,
      recall: 2 / 4,
      merged: ['a + b'],
      split: ['b'],
    })
  })
})
