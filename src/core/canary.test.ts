import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allowance, type Canary, type LedgerCounts } from './canary.ts'

const none: LedgerCounts = {
  planned: 0,
  claimed: 0,
  sent: 0,
  succeeded: 0,
  assumed: 0,
  returned: 0,
  unknown: 0,
  refused: 0,
  cancelled: 0,
  skipped: 0,
}
const canary: Canary = { first: 1, growth: 5, tolerated: 0 }
const counts = (changes: Partial<LedgerCounts>): LedgerCounts => ({ ...none, ...changes })

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
    ['what cannot be sent at all stops it', { planned: 99, refused: 1 }, { kind: 'stop' }],
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
