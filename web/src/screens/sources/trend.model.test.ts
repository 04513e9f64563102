import { describe, expect, test } from 'vitest'
import { courseOf, courseText, flowText } from './trend.model.ts'

const steps = (...letters: readonly (number | null)[]) => ({
  steps: letters.map((each, at) => ({ at, letters: each, came: null, went: null })),
})

describe('the course of a source', () => {
  test.each([
    [steps(null, 3, 5), 8, { change: 5, since: 1 }, '▲ 5 more'],
    [steps(1200, null, 5), 0, { change: -1200, since: 0 }, '▼ 1,200 fewer'],
    [steps(0, 9, 0), 0, { change: 0, since: 0 }, '= the same'],
  ])('compares now with the first look that is known', (trend, now, course, text) => {
    expect(courseOf(trend, now)).toEqual(course)
    expect(courseText(course)).toBe(text)
  })

  test('is not known where nobody looked before', () => {
    expect(courseOf(steps(null, null, 4), 4)).toBeUndefined()
    expect(courseOf(steps(), 4)).toBeUndefined()
  })
})

describe('what came and went', () => {
  test('is added up over the steps in which somebody looked', () => {
    const step = (came: number | null, went: number | null) => ({ at: 0, letters: 0, came, went })
    expect(flowText({ steps: [step(null, null), step(1200, 3), step(null, null), step(34, 0)] })).toBe(
      'At least 1,234 came and 3 went',
    )
  })

  test('is not known where nobody looked', () => {
    expect(flowText(steps(1, 2))).toBeUndefined()
  })
})
