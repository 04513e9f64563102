import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allowance, type Canary, type LedgerCounts, noneCounted } from './canary.ts'

const canary: Canary = { first: 1, growth: 5, tolerated: 0 }
const noneArrived = 'no letter could be shown to have arrived'
const counts = (changes: Partial<LedgerCounts>): LedgerCounts => ({ ...noneCounted, ...changes })

describe('with a canary', () => {
  test.each<[string, Partial<LedgerCounts>, object]>([
    ['the first one goes alone', { planned: 100 }, { kind: 'send', more: 1 }],
    ['nothing goes while its outcome is unknown', { planned: 99, sent: 1 }, { kind: 'wait' }],
    ['four more when it succeeded', { planned: 99, succeeded: 1 }, { kind: 'send', more: 4 }],
    ['the rest of a step while some of it is out', { planned: 97, succeeded: 1, sent: 2 }, { kind: 'send', more: 2 }],
    ['twenty more after five', { planned: 95, assumed: 5 }, { kind: 'send', more: 20 }],
    ['never more than there are', { planned: 3, assumed: 97 }, { kind: 'send', more: 3 }],
    ['the first that comes back stops it', { planned: 99, returned: 1 }, { kind: 'stop' }],
    ['one that comes back later stops it too', { planned: 75, assumed: 24, returned: 1 }, { kind: 'stop' }],
    [
      'how many came back is told',
      { planned: 75, succeeded: 4, assumed: 20, returned: 1 },
      { because: '1 of 25 letters came back' },
    ],
    ['what cannot be sent at all stops it', { planned: 99, refused: 1 }, { kind: 'stop', because: noneArrived }],
    ['so does what nobody knows of', { planned: 99, unknown: 1 }, { kind: 'stop', because: noneArrived }],
    ['and both together', { planned: 98, unknown: 1, refused: 1 }, { kind: 'stop', because: noneArrived }],
    ['but not while others are on their way', { planned: 98, refused: 1, sent: 1 }, { kind: 'wait' }],
    ['nor when others arrived', { planned: 98, refused: 1, succeeded: 1 }, { kind: 'send', more: 4 }],
    ['nor when others are taken to have arrived', { planned: 98, unknown: 1, assumed: 1 }, { kind: 'send', more: 3 }],
    ['what nobody knows of counts as tried', { planned: 95, succeeded: 2, unknown: 3 }, { kind: 'send', more: 20 }],
    ['a step is over when all of it is known', { planned: 95, succeeded: 2, assumed: 2, sent: 1 }, { kind: 'wait' }],
    ['what was somebody else’s is no reason to stop', { planned: 99, skipped: 1 }, { kind: 'send', more: 1 }],
    ['nothing left, all known', { succeeded: 100 }, { kind: 'done' }],
    ['nothing left, some on their way', { succeeded: 99, sent: 1 }, { kind: 'wait' }],
  ])('%s', (_, changes, expected) => {
    expect(allowance(counts(changes), canary)).toMatchObject(expected)
  })

  test('as many may come back as are tolerated', () => {
    const tolerant = { ...canary, tolerated: 0.1 }
    expect(allowance(counts({ planned: 50, assumed: 9, returned: 1 }), tolerant)).toMatchObject({ kind: 'send' })
    expect(allowance(counts({ planned: 50, assumed: 8, returned: 1 }), tolerant)).toMatchObject({ kind: 'stop' })
  })

  test('resumed, it judges only what happens from then on, and starts with one again', () => {
    const judged = counts({ planned: 99, returned: 1 })
    expect(allowance(judged, canary, judged)).toEqual({ kind: 'send', more: 1 })
    expect(allowance(counts({ planned: 98, returned: 1, assumed: 1 }), canary, judged)).toEqual({ kind: 'send', more: 4 })
    expect(allowance(counts({ planned: 98, returned: 2 }), canary, judged)).toMatchObject({ kind: 'stop' })
  })

  test('resumed, all that was known before is left out', () => {
    const judged = counts({ planned: 90, succeeded: 4, assumed: 2, returned: 1, unknown: 1, refused: 2 })
    expect(allowance(judged, canary, judged)).toEqual({ kind: 'send', more: 1 })
    expect(allowance({ ...judged, succeeded: 5 }, canary, judged)).toEqual({ kind: 'send', more: 4 })
    expect(allowance({ ...judged, refused: 3 }, canary, judged)).toMatchObject({ kind: 'stop' })
    expect(allowance({ ...judged, unknown: 2 }, canary, judged)).toMatchObject({ kind: 'stop' })
    // An outcome that was assumed or unknown then may have become known since.
    expect(allowance({ ...judged, succeeded: 7, assumed: 0, unknown: 0 }, canary, judged)).toEqual({ kind: 'send', more: 2 })
  })

  test('a tolerant one does not stop for nothing', () => {
    expect(allowance(counts({ planned: 5 }), { ...canary, tolerated: 1 })).toEqual({ kind: 'send', more: 1 })
  })

  test('as long as nothing is known, no more than the first step is ever out', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 1000 }), fc.nat(60), (first, planned, sent) => {
        const allowed = allowance(counts({ planned, sent }), { ...canary, first })
        const more = allowed.kind === 'send' ? allowed.more : 0
        expect(more + Math.min(sent, first)).toBeLessThanOrEqual(first)
      }),
    )
  })
})

test('without a canary everything may go, and what comes back is only counted', () => {
  expect(allowance(counts({ planned: 100, returned: 50 }), undefined)).toEqual({ kind: 'send', more: 100 })
})
