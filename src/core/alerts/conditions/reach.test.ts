import { describe, expect, it } from 'vitest'
import { noHistory, remember } from '../history.ts'
import type { Values } from '../sample.ts'
import { judgeBrokerDown, judgeFailingProbe, judgeNoConsumer } from './reach.ts'

const subject = { source: 'shop' }
const seen = (values: Values) => remember(noHistory, { subject, at: 0, values })

describe('a failing probe', () => {
  const failedFor = (failures: number) => {
    const failed = Array.from({ length: failures }, (_, at) => ({ subject, at, failed: 'unreachable' }))
    return judgeFailingProbe({ kind: 'failing-probe', inARow: 3 }, failed.reduce(remember, noHistory), 0)
  }

  it('holds at its number in a row, and is clear only when a look has worked', () => {
    expect([0, 1, 2, 3, 4].map((failures) => [failedFor(failures)?.holds, failedFor(failures)?.clear])).toEqual([
      [false, true],
      [false, false],
      [false, false],
      [true, false],
      [true, false],
    ])
  })

  it('tells how often, and why', () => {
    expect(failedFor(3)?.figures).toEqual({ threshold: 3, count: 3, failure: 'unreachable' })
    expect(failedFor(0)?.figures).toEqual({ threshold: 3 })
    expect(judgeFailingProbe({ kind: 'failing-probe', inARow: 3 }, { looks: [], failuresInARow: 1 }, 0)?.figures).toEqual({
      threshold: 3,
      count: 1,
    })
  })

  describe('whose queue can be counted', () => {
    const condition = { kind: 'failing-probe', inARow: 3 } as const
    const counted = (unread?: string) =>
      remember(noHistory, { subject, at: 0, values: {}, ...(unread !== undefined && { unread }) })

    it('holds while letters cannot be read, also where a look fails meanwhile, and is clear once they can be', () => {
      const failed = remember(counted('refused'), { subject, at: 1, failed: 'unreachable' })
      for (const history of [counted('refused'), failed]) {
        const holding = { holds: true, clear: false, figures: { threshold: 3, unread: 'refused' } }
        expect(judgeFailingProbe(condition, history, 1)).toEqual(holding)
      }
      const readAgain = remember(counted('refused'), { subject, at: 1, values: {} })
      expect(judgeFailingProbe(condition, readAgain, 1)).toMatchObject({ holds: false, clear: true })
    })

    it('is unknown while somebody tries anew to read them, and fails where nobody can count them either', () => {
      expect(judgeFailingProbe(condition, counted(''), 0)).toBeUndefined()
      const failed = [1, 2, 3].reduce((history, at) => remember(history, { subject, at, failed: 'unreachable' }), counted(''))
      expect(judgeFailingProbe(condition, failed, 3)?.figures).toEqual({ threshold: 3, count: 3, failure: 'unreachable' })
    })
  })
})

describe('a broker', () => {
  const judged = (probedSources: number, failingSources: number, failuresInARow?: number) =>
    judgeBrokerDown(
      { kind: 'broker-down', inARow: 3 },
      seen({ probedSources, failingSources, ...(failuresInARow !== undefined && { failuresInARow }) }),
      0,
    )

  it.each([
    ['all fail, one of them for the third time', [2, 2, 3], true, false],
    ['all fail, none of them for the third time', [2, 2, 2], false, false],
    ['all fail, nobody knows how often', [2, 2, undefined], false, false],
    ['one works', [2, 1, 3], false, true],
    ['all work', [2, 0, 0], false, true],
    ['there are none', [0, 0, 3], false, false],
  ] as const)('of whose queues %s', (_, [probed, failing, inARow], holds, clear) => {
    expect(judged(probed, failing, inARow)).toEqual({ holds, clear, figures: { count: failing, threshold: probed } })
  })

  it.each([[{ probedSources: 1 }], [{ failingSources: 1 }]])('of which only %j is known is unknown', (values) => {
    expect(judgeBrokerDown({ kind: 'broker-down', inARow: 3 }, seen(values), 0)).toBeUndefined()
  })
})

describe('messages that nobody takes', () => {
  const judged = (values: Values) => judgeNoConsumer({ kind: 'no-consumer' }, seen(values), 0)

  it('wait without a consumer', () => {
    expect(judged({ consumers: 0, lag: 5 })).toEqual({ holds: true, clear: false, figures: { count: 5, threshold: 0 } })
    expect([judged({ consumers: 1, lag: 5 })?.holds, judged({ consumers: 0, lag: 0 })?.holds]).toEqual([false, false])
  })

  it.each([[{ consumers: 0 }], [{ lag: 5 }]])('are unknown where only %j is known', (values) => {
    expect(judged(values)).toBeUndefined()
  })
})
