import { expect, it } from 'vitest'
import type { Condition } from './condition.ts'
import { noHistory, remember } from './history.ts'
import { judge, neededBy } from './judge.ts'
import type { Values } from './sample.ts'

const window = 60_000

/** Each kind of condition, what it needs, and two looks by which it holds. */
const kinds: readonly [condition: Condition, needs: readonly (keyof Values)[], before: Values, now: Values][] = [
  [{ kind: 'level', of: 'spooled', is: 'above', limit: 0 }, ['spooled'], {}, { spooled: 1 }],
  [{ kind: 'growth', window, limit: 5, timesUsual: 3, usualOver: window, floor: 1 }, ['letters'], { letters: 0 }, { letters: 6 }],
  [{ kind: 'not-shrinking', of: 'lag', window }, ['lag'], { lag: 1 }, { lag: 1 }],
  [
    { kind: 'ratio', of: 'retriedTotal', to: 'handledTotal', limit: 0.1, windows: [window], minSamples: 1 },
    ['retriedTotal', 'handledTotal'],
    { retriedTotal: 0, handledTotal: 0 },
    { retriedTotal: 5, handledTotal: 9 },
  ],
  [
    { kind: 'increase', of: 'publishFailedTotal', limit: 0, window },
    ['publishFailedTotal'],
    { publishFailedTotal: 0 },
    { publishFailedTotal: 1 },
  ],
  [
    { kind: 'spike', window, newAtLeast: 5, timesUsual: 5, floor: 20 },
    ['causeLettersTotal'],
    { causeLettersTotal: 0 },
    { causeLettersTotal: 5 },
  ],
  [
    { kind: 'broker-down', inARow: 3 },
    ['probedSources', 'failingSources'],
    {},
    { probedSources: 1, failingSources: 1, failuresInARow: 3 },
  ],
  [{ kind: 'no-consumer' }, ['consumers', 'lag'], {}, { consumers: 0, lag: 1 }],
  [{ kind: 'always' }, [], {}, {}],
]

it.each(kinds.map((row) => [row[0].kind, ...row] as const))(
  '%s is judged by what it needs',
  (kind, condition, needs, before, now) => {
    const subject = { source: 'shop' }
    const history = [before, now].reduce((known, values, n) => remember(known, { subject, at: n * window, values }), noHistory)
    expect(judge(condition, history, window)?.holds).toBe(true)
    expect(neededBy(condition)).toEqual(needs)
    if (kind !== 'always') expect(judge(condition, noHistory, window)).toBeUndefined()
  },
)

it('a failing probe is judged by failures alone', () => {
  const condition: Condition = { kind: 'failing-probe', inARow: 1 }
  expect(judge(condition, { looks: [], failuresInARow: 1 }, 0)?.holds).toBe(true)
  expect(neededBy(condition)).toEqual(['letters'])
})

it('what always holds has nothing to tell', () => {
  expect(judge({ kind: 'always' }, noHistory, 0)).toEqual({ holds: true, clear: false, figures: {} })
})
