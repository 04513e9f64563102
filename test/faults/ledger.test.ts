import { describe, expect, it } from 'vitest'
import type { HandlerRecord } from './handler-log.ts'
import { isFlawless, judge, type Observations } from './ledger.ts'
import { faultMessage, kindOf, numberIn } from './messages.ts'

const numbers = Array.from({ length: 100 }, (_, number) => number)
const ofKind = (kind: string): number[] => numbers.filter((number) => kindOf(number) === kind)
const run = (number: number): HandlerRecord[] => [
  { what: 'started', number },
  { what: 'succeeded', number },
]

const perfect: Observations = {
  confirmed: numbers,
  attempted: new Set(numbers),
  handled: [...ofKind('good'), ...ofKind('flaky')].flatMap(run),
  work: [],
  deadLetter: ofKind('bad'),
  invalid: ofKind('invalid'),
  crashing: new Set(),
}

describe('the ledger', () => {
  it('passes a run in which everything ended where it should', () => {
    expect(isFlawless(judge(perfect))).toBe(true)
  })

  it('catches a loss', () => {
    const handled = perfect.handled.filter(({ number }) => number !== 40)
    expect(judge({ ...perfect, handled }).lost).toEqual([40])
  })

  it('catches a letter that was dropped', () => {
    const verdict = judge({ ...perfect, deadLetter: perfect.deadLetter.slice(1) })
    expect([verdict.lost, verdict.missingLetters]).toEqual([[6], [6]])
  })

  it('counts duplicates without calling them losses', () => {
    const verdict = judge({ ...perfect, handled: [...perfect.handled, ...run(40)], deadLetter: [...perfect.deadLetter, 6] })
    expect([verdict.duplicated, isFlawless(verdict)]).toEqual([2, true])
  })

  it('catches a message that nobody sent, and one whose bytes changed', () => {
    expect(judge({ ...perfect, work: [100_000] }).invented).toBe(1)
    const torn = faultMessage(6).body?.slice(0, -1) ?? null
    expect(judge({ ...perfect, work: [numberIn(torn)] }).invented).toBe(1)
  })

  it('catches a healthy message in the dead-letter channel', () => {
    expect(judge({ ...perfect, deadLetter: [...perfect.deadLetter, 40] }).wronglyDead).toEqual([40])
  })

  it('catches a message that overtook one of its key', () => {
    const overtaking = [...perfect.handled.filter(({ number }) => number !== 0 && number !== 40), ...run(40), ...run(0)]
    expect(judge({ ...perfect, handled: overtaking }).disordered).not.toEqual([])
  })

  it('does not take a second run after a crash for disorder', () => {
    expect(judge({ ...perfect, handled: [...perfect.handled, ...run(0)] }).disordered).toEqual([])
  })
})
