import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Breaker, createBreaker, defaultBreaker } from './breaker.ts'

const settings = { ...defaultBreaker, runs: 5, share: 0.8, window: 1000 }

/** Plays `+` for a success and `-` for a failure, one every `every` milliseconds; tells after how many it opened. */
function opensAfter(outcomes: string, every = 10): number | undefined {
  const breaker = createBreaker(settings)
  for (const [index, outcome] of [...outcomes].entries()) {
    if (breaker.record(outcome === '-', index * every)) return index + 1
  }
  return undefined
}

describe('a closed breaker', () => {
  it.each([
    ['-----', 5, 'as many as it looks at have failed'],
    ['----', undefined, 'there were too few to tell'],
    ['+++++++-----', 12, 'what went well before does not count'],
    ['----+', 5, 'a share of 0.8 is enough'],
    ['---++', undefined, 'a share of 0.6 is not'],
    ['---+-', 5, 'whatever the order'],
    ['-+-+-+-+-+-+', undefined, 'half fails for ever'],
    ['--+-+----', 8, 'it only looks at the last ones'],
  ])('%s opens after %s: %s', (outcomes, opened, _because) => {
    expect(opensAfter(outcomes)).toBe(opened)
  })

  it('forgets what is older than its window', () => {
    expect(opensAfter('------------', 250)).toBe(5)
    expect(opensAfter('------------', 251)).toBeUndefined()
  })

  it('is alert from the first failure on, and no longer than that counts', () => {
    const breaker = createBreaker(settings)
    expect(breaker.isAlert).toBe(false)
    breaker.record(true, 0)
    expect(breaker.isAlert).toBe(true)
    for (let n = 0; n < 5; n++) breaker.record(false, 1)
    expect(breaker.isAlert).toBe(false)
  })

  it('opens exactly when the last outcomes say so, whatever came before', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (failed) => {
        const breaker = createBreaker(settings)
        let sinceFirst: boolean[] = []
        for (const outcome of failed) {
          sinceFirst = [...sinceFirst, outcome].slice(-settings.runs)
          if (!sinceFirst.includes(true)) sinceFirst = []
          const wanted = sinceFirst.length === 5 && sinceFirst.filter(Boolean).length >= 4
          const opened = breaker.record(outcome, 0)
          expect(opened).toBe(wanted)
          if (opened) return
        }
      }),
    )
  })
})

function opened(): Breaker {
  const breaker = createBreaker(settings)
  for (let n = 0; n < 5; n++) breaker.record(true, 100)
  expect(breaker.state).toBe('open')
  return breaker
}

describe('an open breaker', () => {
  it('waits longer after each probe that failed, up to its limit', () => {
    const breaker = opened()
    const pauses = Array.from({ length: 8 }, () => {
      const pause = breaker.probeIn
      breaker.probing()
      breaker.probed('failed')
      return pause
    })
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  })

  it('waits no longer after a probe that tells nothing', () => {
    const breaker = opened()
    breaker.probing()
    breaker.probed('undecided')
    expect([breaker.state, breaker.probeIn]).toEqual(['open', 1000])
  })

  it('pardons failures, and not for ever', () => {
    const breaker = opened()
    expect([100, 600_099, 600_100].map((now) => breaker.pardons(now))).toEqual([true, true, false])
  })

  it('starts anew once it is closed', () => {
    const breaker = opened()
    breaker.probing()
    breaker.probed('failed')
    breaker.close()
    expect([breaker.state, breaker.isAlert, breaker.pardons(100)]).toEqual(['closed', false, false])
    for (let n = 0; n < 4; n++) expect(breaker.record(true, 200)).toBe(false)
    expect([breaker.record(true, 200), breaker.probeIn]).toEqual([true, 1000])
  })
})
