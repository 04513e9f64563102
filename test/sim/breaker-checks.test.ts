import { describe, expect, it } from 'vitest'
import { breakerViolations, spentTurns } from './breaker-checks.ts'
import type { Call, Mortal, Run } from './script.ts'
import { seededRandom } from './seeded-random.ts'
import { drawWeather, type Weather } from './weather.ts'

const weather: Weather = {
  ...drawWeather(seededRandom(1)),
  ...{ breaker: true, outage: { from: 0, to: 60_000 }, callFaults: 0, disconnects: 0, rebalances: 0 },
}

/** A process whose breaker was open from the tenth to the thirtieth second. */
const process: Mortal = { alive: true, openings: [{ from: 10_000, to: 30_000 }], owns: () => true, crash() {} }

function failed(number: number, startedAt: number, endedAt: number): Run {
  return failedIn({ startedAt, endedAt }, number, startedAt, endedAt)
}

function failedIn(call: Call, number: number, startedAt: number, endedAt: number): Run {
  return { number, process, lane: undefined, handOut: 1, unfenced: false, call, startedAt, endedAt, endedAs: 'failed' }
}

describe('what a breaker may do', () => {
  it('is to let one message through after the other while it is open', () => {
    expect(breakerViolations({ weather, runs: [failed(1, 11_000, 11_400), failed(2, 12_000, 12_400)] })).toEqual([])
  })

  it('is not to let two through beside each other', () => {
    const runs = [failed(1, 11_000, 11_400), failed(2, 11_200, 11_600)]
    expect(breakerViolations({ weather, runs })).toEqual(['m2 was let through beside m1 while the breaker was open'])
  })

  it.each([
    { count: 5, complaints: 0 },
    { count: 6, complaints: 1 },
  ])('is to open before a sixth message fails in an outage (of $count)', ({ count, complaints }) => {
    const runs = Array.from({ length: count }, (_, number) => failed(number, number * 1000, number * 1000))
    expect(breakerViolations({ weather, runs })).toHaveLength(complaints)
  })

  it('is to open by turns that have failed, and not by runs that are repeated at once', () => {
    const runs = Array.from({ length: 6 }, (_, number) => [failed(number, 0, 1000), failed(number, 1000, 61_000)]).flat()
    expect(breakerViolations({ weather, runs })).toEqual([])
  })

  it('is asked nothing on a log whose processes come and go: each of them has its partitions handed out anew', () => {
    const runs = [failed(1, 11_000, 11_400), failed(1, 11_200, 11_600)]
    const asked = [0, 0.05].map((crashes) => ({ ...weather, family: 'log', deploys: 0, powerCuts: 0, crashes }) as const)
    expect(asked.map((each) => breakerViolations({ weather: each, runs }).length)).toEqual([1, 0])
  })

  it('is to forgive what fails while it is open', () => {
    expect([spentTurns([failed(1, 20_000, 20_000)]), spentTurns([failed(1, 40_000, 40_000)])]).toEqual([0, 1])
  })

  it('is not to let two through in one batch', () => {
    const batch = { startedAt: 11_000, endedAt: 11_400 }
    const runs = [failedIn(batch, 1, 11_000, 11_000), failedIn(batch, 2, 11_200, 11_400)]
    expect(breakerViolations({ weather, runs })).toEqual(['m2 was let through beside m1 while the breaker was open'])
  })

  it('is to let a batch go on that began before it opened, and a probe beside it', () => {
    const batch = { startedAt: 9000, endedAt: 12_000 }
    const runs = [failedIn(batch, 1, 9000, 11_000), failed(2, 11_100, 11_900), failedIn(batch, 3, 11_200, 12_000)]
    expect(breakerViolations({ weather, runs })).toEqual([])
  })

  it('is to hear of failures when their batch has ended, and to forgive them then', () => {
    const batch = { startedAt: 1000, endedAt: 20_000 }
    const runs = Array.from({ length: 8 }, (_, number) => failedIn(batch, number, 1000, 2000))
    expect([breakerViolations({ weather, runs }), runs.map((run) => spentTurns([run]))]).toEqual([[], runs.map(() => 0)])
  })
})
