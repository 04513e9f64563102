import { describe, expect, test } from 'vitest'
import type { Counts, Preview, Replay } from '../../api/replays.ts'
import { asPlanned, careful, mistakeIn, refusalCounts, stepsOf, wantedOf, wishesOf } from '../wizard/wizard.model.ts'
import { outcomeText, partsOf, verbsOf } from './progress.model.ts'

const none: Counts = {
  ...{ planned: 0, claimed: 0, sent: 0, succeeded: 0, assumed: 0 },
  ...{ returned: 0, unknown: 0, refused: 0, skipped: 0, cancelled: 0 },
}
const replay = (state: Replay['state'], stoppedBecause: string | null = null): Replay =>
  ({ state, stoppedBecause, letters: 9 }) as Replay

describe('the numbers of a replay', () => {
  test('are all shown always, in the same order: a 0 is an answer, and nothing moves', () => {
    const states = partsOf(none).map(({ state }) => state)
    expect(states).toEqual([
      ...['succeeded', 'assumed', 'sent', 'claimed', 'planned'],
      ...['returned', 'unknown', 'refused', 'skipped', 'cancelled'],
    ])
    expect(partsOf({ ...none, refused: 2, sent: 7 }).map(({ state }) => state)).toEqual(states)
    expect(partsOf({ ...none, refused: 2 }).find(({ state }) => state === 'refused')?.count).toBe(2)
  })

  test('say that all is through only where nothing died again, is unknown or was refused', () => {
    expect(outcomeText(replay('done'), { ...none, succeeded: 4, assumed: 5 })).toBe('All 9 are through.')
    for (const state of ['returned', 'unknown', 'refused'] as const) {
      expect(outcomeText(replay('done'), { ...none, succeeded: 8, [state]: 1 })).not.toContain('All')
    }
  })

  test('say why it stopped, and what can be done in each state', () => {
    expect(outcomeText(replay('stopped', 'letters came back'), none)).toContain('letters came back')
    expect(outcomeText(replay('stopped'), none)).toContain('not written down')
    for (const [state, verbs] of Object.entries(verbsOf)) {
      expect(outcomeText(replay(state as Replay['state']), none)).not.toBe('')
      expect(verbs.includes('cancel'), state).toBe(
        ['sealed', 'scheduled', 'missed', 'running', 'paused', 'stopped'].includes(state),
      )
    }
  })
})

describe('a plan', () => {
  test('is made of what the address says', () => {
    expect(wantedOf('filter=state%3Aopen')).toEqual({ selection: { filter: 'state:open' }, edit: undefined })
    expect(wantedOf('letters=3,x,-1,7')).toEqual({ selection: { letters: [3, 7] }, edit: undefined })
    expect(wantedOf('letters=3&edit=5')).toEqual({ selection: { letters: [3] }, edit: { letter: 3, edit: 5 } })
    expect([wantedOf('letters='), wantedOf('')]).toEqual([undefined, undefined])
  })

  test('keeps out what came while somebody read it', () => {
    const plan = { before: 100 } as Preview
    expect(asPlanned({ filter: 'a' }, plan)).toEqual({ filter: 'a', before: 100 })
    expect(asPlanned({ filter: 'a' }, undefined)).toEqual({ filter: 'a' })
    expect(asPlanned({ letters: [1] }, plan)).toEqual({ letters: [1] })
  })

  test('is careful unless somebody says otherwise', () => {
    const selection = { filter: '' }
    expect(wishesOf(selection, careful)).toEqual({
      ...{ selection, rate: 50, observe: 60_000 },
      canary: { first: 1, growth: 5, tolerated: 0 },
    })
    expect(wishesOf(selection, { ...careful, isCareful: false }).canary).toBeNull()
  })

  test.each([
    [{ rate: 0 }, /rate/],
    [{ rate: Number.NaN }, /rate/],
    [{ observe: -1 }, /watched/],
    [{ first: 0 }, /goes first/],
    [{ growth: 1 }, /times as large/],
    [{ tolerated: 101 }, /come back/],
  ])('with %j says what is wrong', (wrong, told) => {
    expect(mistakeIn({ ...careful, ...wrong })).toMatch(told)
    expect(mistakeIn(careful)).toBeUndefined()
  })

  test('tells its steps, which end with all of the letters', () => {
    expect([stepsOf(careful, 6), stepsOf(careful, 1), stepsOf({ first: 1, growth: 5 }, 1000)]).toEqual([
      ...[[1, 5, 6], [1], [1, 5, 25, 125, 625]],
    ])
  })

  test('tells refusals by their reason', () => {
    const refusals = [
      { letter: 1, because: 'not-open' },
      { letter: 2, because: 'new-reason' },
      { letter: 3, because: 'not-open' },
    ]
    expect(refusalCounts({ refusals } as unknown as Preview)).toEqual([
      ['on their way, settled or discarded', [1, 3]],
      ['new-reason', [2]],
    ])
  })
})
