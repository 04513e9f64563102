import { describe, expect, it } from 'vitest'
import type { HandlerRecord } from './handler-log.ts'
import { isFlawless, judge, type Observations } from './ledger.ts'
import { faultMessage, kindOf, numberIn } from './messages.ts'
import type { Death } from './turns-used.ts'

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

describe('the ledger, about poison', () => {
  const innocent = 40
  const neighbour = 41
  const alone = { inHand: [innocent] }
  const crowd = { inHand: [innocent, neighbour] }
  const poisoned = { ...perfect, deadLetter: [...perfect.deadLetter, innocent], reasons: new Map([[innocent, 'PoisonMessage']]) }

  /** What it says about a message that was in hand at these deaths and then buried as poison. */
  function verdictAfter(...deaths: readonly Pick<Death, 'inHand'>[]): readonly number[][] {
    const { wronglyDead, rightlyPoison } = judge({ ...poisoned, deaths: deaths.map((death, life) => ({ life, ...death })) })
    return [[...wronglyDead], [...rightlyPoison]]
  }

  const wrong = [[innocent], []]
  const right = [[], [innocent]]

  it('excuses a suspect that was alone in the hands of as many dead as it has turns', () => {
    expect(verdictAfter(crowd, alone, alone, alone)).toEqual(right)
  })

  it('calls it wrong one turn earlier', () => {
    expect(verdictAfter(crowd, alone, alone)).toEqual(wrong)
  })

  it('does not count the first death, even where the message was alone', () => {
    expect(verdictAfter(alone, alone, alone)).toEqual(wrong)
  })

  it('never counts a death among neighbours, as of one that was claimed ahead', () => {
    expect(verdictAfter(...Array.from({ length: 20 }, () => crowd))).toEqual(wrong)
  })

  it('never counts a death in which others were in hand', () => {
    expect(verdictAfter(crowd, alone, alone, { inHand: [neighbour] })).toEqual(wrong)
  })

  it('counts a turn that failed, after which the next death is the first again', () => {
    const handled: HandlerRecord[] = [...perfect.handled, { what: 'failed', number: innocent, life: 2 }]
    const poisonAfter = (...lives: readonly number[]) =>
      judge({ ...poisoned, handled, deaths: lives.map((life) => ({ life, ...alone })) }).rightlyPoison
    expect(poisonAfter(2, 3, 4)).toEqual([innocent])
    expect(poisonAfter(1, 2, 3)).toEqual([])
  })

  it('takes every death for a possible turn where no broker says what was in hand', () => {
    expect(verdictAfter({}, {}, {})).toEqual(right)
    expect(verdictAfter({}, {})).toEqual(wrong)
  })

  it('excuses no other reason', () => {
    const deaths = [0, 1, 2, 3].map((life) => ({ life, ...alone }))
    const reasons = new Map([[innocent, 'NonRetryableError']])
    expect(judge({ ...poisoned, deaths, reasons }).wronglyDead).toEqual([innocent])
  })

  it('asks for the same proof about a message that had to die anyway', () => {
    const reasons = new Map([[6, 'PoisonMessage']])
    expect(judge({ ...perfect, reasons }).wronglyDead).toEqual([6])
  })

  it('does not miss in its own grave what was rightly buried as poison', () => {
    const unreadable = 9
    const deaths = [0, 1, 2, 3].map((life) => ({ life, inHand: [unreadable] }))
    const invalid = perfect.invalid.filter((number) => number !== unreadable)
    const seen = { ...perfect, invalid, deadLetter: [...perfect.deadLetter, unreadable] }
    expect(judge(seen)).toMatchObject({ wronglyDead: [unreadable], missingLetters: [unreadable] })
    expect(judge({ ...seen, deaths })).toMatchObject({ wronglyDead: [], missingLetters: [], rightlyPoison: [unreadable] })
  })
})
