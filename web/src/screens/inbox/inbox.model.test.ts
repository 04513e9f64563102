import { describe, expect, test } from 'vitest'
import { parseFilter } from '../../../../src/core/filter/parse-filter.ts'
import type { Cause } from '../../api/causes.ts'
import { filterOfCauses, lettersOf, openLetters, reasonsAgainst, searchOf, sortedCauses, viewOf } from './inbox.model.ts'

const cause = (id: number, more: Partial<Cause> = {}): Cause =>
  ({ id, fingerprint: `v1:${String(id).padStart(64, 'a')}`, lastAt: 0, firstAt: 0, unresolved: 0, total: 0, ...more }) as Cause

describe('what the inbox shows', () => {
  test('is open causes, the newest first, where the address says nothing', () => {
    expect(viewOf('')).toEqual({ state: 'open', sort: 'newest', filter: '' })
  })

  test('stands in the address and comes back from it', () => {
    for (const view of [
      { state: 'archived', sort: 'most letters', filter: 'channel:a&b age>1h' },
      { state: undefined, sort: 'oldest', filter: '' },
      { state: 'open', sort: 'newest', filter: '' },
    ] as const) {
      expect(viewOf(searchOf(view))).toEqual(view)
    }
    expect(searchOf(viewOf(''))).toBe('')
  })

  test('is everything and newest for words that nobody knows', () => {
    expect(viewOf('state=broken&sort=loudest')).toEqual({ state: undefined, sort: 'newest', filter: '' })
  })

  test('is sorted as asked, and by id where that says nothing', () => {
    const causes = [
      cause(1, { lastAt: 1, firstAt: 1, unresolved: 9 }),
      cause(2, { lastAt: 2, firstAt: 2 }),
      cause(3, { lastAt: 2, firstAt: 3, matching: 20 }),
    ]
    const ids = (sort: Parameters<typeof sortedCauses>[1]): readonly number[] => sortedCauses(causes, sort).map(({ id }) => id)
    expect(ids('newest')).toEqual([3, 2, 1])
    expect(ids('oldest')).toEqual([1, 2, 3])
    expect(ids('most letters')).toEqual([3, 1, 2])
  })
})

describe('what is meant', () => {
  test('are the letters that match, where there is a filter, and else those that ask for attention', () => {
    expect([lettersOf({ unresolved: 5 }), lettersOf({ unresolved: 5, matching: 0 })]).toEqual([5, 0])
  })

  test('is a filter that keeps to the causes and to what they were found by', () => {
    expect(filterOfCauses([{ id: 7 }, { id: 12 }])).toBe('state:open under:7,12')
    expect(filterOfCauses([{ id: 7 }], 'a OR b')).toBe('state:open under:7 (a OR b)')
    expect([openLetters(''), openLetters('a OR b')]).toEqual(['state:open', 'state:open (a OR b)'])
  })

  test('is a filter that can be taken, for as many causes as one may replay', () => {
    const many = Array.from({ length: 200 }, (_, id) => cause(id))
    const most = many.findLastIndex(
      (_, count) => reasonsAgainst({ isAll: false, causes: count, letters: 1 }).replaying === undefined,
    )
    const filter = filterOfCauses(many.slice(0, most), 'state:open,unknown channel:orders.* age>1h "card declined"')
    expect(most).toBeGreaterThan(20)
    expect(filter.length).toBeLessThan(2000)
    expect(() => parseFilter(filter)).not.toThrow()
  })

  test('cannot be judged by letters, and cannot be replayed where nothing is open', () => {
    expect(reasonsAgainst({ isAll: true, causes: 0, letters: 7 })).toEqual({ judging: expect.any(String), replaying: undefined })
    expect(reasonsAgainst({ isAll: true, causes: 0, letters: 0 }).replaying).toBe('No letter that matches is open.')
    expect(reasonsAgainst({ isAll: false, causes: 0, letters: 0 }).judging).toMatch(/^Select causes first/)
    expect(reasonsAgainst({ isAll: false, causes: 2, letters: 0 })).toEqual({
      judging: undefined,
      replaying: 'None of their letters is open.',
    })
    expect(reasonsAgainst({ isAll: false, causes: 2, letters: 3 })).toEqual({ judging: undefined, replaying: undefined })
  })
})
