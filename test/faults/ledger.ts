import type { HandlerRecord } from './handler-log.ts'
import { type Kind, kindOf, laneOf } from './messages.ts'
import { type Death, turnsUsed } from './turns-used.ts'

/** What independent observers saw: the producer's log, the handlers' log, and a plain client that drained every channel. */
export interface Observations {
  /** Sends that the broker confirmed. */
  readonly confirmed: readonly number[]
  /** Sends that were tried, confirmed or not. */
  readonly attempted: ReadonlySet<number>
  readonly handled: readonly HandlerRecord[]
  /** Numbers found in each channel at the end; `undefined` where a body was not one that was sent. */
  readonly work: readonly (number | undefined)[]
  readonly deadLetter: readonly (number | undefined)[]
  readonly invalid: readonly (number | undefined)[]
  readonly crashing: ReadonlySet<number>
  /** In the order in which they happened. Without any, nothing can be poison. */
  readonly deaths?: readonly Death[]
  /** Turns that a message has before it is poison. */
  readonly turns?: number
  /** What the letters say, where the client that found them can read it. */
  readonly reasons?: ReadonlyMap<number, string>
}

/** The budget of every run that does not ask for another. */
export const ordinaryTurns = 3

export interface Verdict {
  readonly sent: number
  /** Confirmed, and neither handled nor in any channel. */
  readonly lost: readonly number[]
  /** Found in a channel though nobody sent them, or with other bytes. */
  readonly invented: number
  /** In the dead-letter or invalid channel though their handler would have succeeded, or called poison for what others did. */
  readonly wronglyDead: readonly number[]
  /** Called poison after all their turns, as the observers saw them: nobody could tell these from a message that kills its consumer. */
  readonly rightlyPoison: readonly number[]
  /** Should be dead and are not, or are in the other grave. */
  readonly missingLetters: readonly number[]
  /** Handler successes and letters beyond the first of each message. */
  readonly duplicated: number
  /** Messages that started before an earlier one of their key had succeeded. */
  readonly disordered: readonly number[]
  /** What each was blamed with, where somebody was called poison too early. */
  readonly deaths?: readonly Death[]
}

export function judge(seen: Observations): Verdict {
  const succeeded = new Set(seen.handled.filter(({ what }) => what === 'succeeded').map(({ number }) => number))
  const graves = { 'dead-letter': known(seen.deadLetter), invalid: known(seen.invalid) }
  const dead = new Set([...graves['dead-letter'], ...graves.invalid])
  const everywhere = [...seen.work, ...seen.deadLetter, ...seen.invalid]
  const waiting = new Set(known(seen.work))
  const poison = new Map(poisonIn(seen, graves['dead-letter']).map((number) => [number, hadAllTurns(number, seen)]))
  const isExcused = (number: number) => poison.get(number) === true
  const isWrong = (number: number) => poison.get(number) === false || graveOf(number, seen.crashing) === undefined
  const wronglyDead = [...dead].filter((number) => isWrong(number) && !isExcused(number))
  return {
    sent: seen.confirmed.length,
    lost: seen.confirmed.filter((number) => !succeeded.has(number) && !dead.has(number) && !waiting.has(number)),
    invented: everywhere.filter((number) => number === undefined || !seen.attempted.has(number)).length,
    wronglyDead,
    rightlyPoison: [...poison.keys()].filter(isExcused),
    missingLetters: seen.confirmed.filter((number) => isMissing(number, graves, waiting, seen.crashing) && !isExcused(number)),
    duplicated: duplicates(seen.handled, everywhere),
    disordered: disordered(seen.handled.filter(({ number }) => !seen.crashing.has(number) && !isExcused(number))),
    ...(wronglyDead.some((number) => poison.has(number)) && seen.deaths && { deaths: seen.deaths }),
  }
}

/** Letters that say so; where nobody can read what they say, those that can be there for no other reason. */
function poisonIn({ reasons, crashing }: Observations, deadLetter: readonly number[]): number[] {
  const belongsElsewhere = (number: number) => graveOf(number, crashing) !== 'dead-letter'
  return [...new Set(deadLetter)].filter((number) =>
    reasons === undefined ? belongsElsewhere(number) : reasons.get(number) === 'PoisonMessage',
  )
}

function hadAllTurns(number: number, { handled, deaths = [], turns = ordinaryTurns }: Observations): boolean {
  return turnsUsed(number, handled, deaths) >= turns
}

export function isFlawless(verdict: Verdict): boolean {
  const { lost, invented, wronglyDead, missingLetters, disordered: disorder } = verdict
  return lost.length + invented + wronglyDead.length + missingLetters.length + disorder.length === 0
}

function known(numbers: readonly (number | undefined)[]): number[] {
  return numbers.filter((number) => number !== undefined)
}

type GraveName = 'dead-letter' | 'invalid'

const graveOfKind: Readonly<Record<Kind, GraveName | undefined>> = {
  good: undefined,
  flaky: undefined,
  bad: 'dead-letter',
  crash: 'dead-letter',
  invalid: 'invalid',
}

function graveOf(number: number, crashing: ReadonlySet<number>): GraveName | undefined {
  return graveOfKind[crashing.has(number) ? 'crash' : kindOf(number)]
}

function isMissing(
  number: number,
  graves: Readonly<Record<GraveName, readonly number[]>>,
  waiting: ReadonlySet<number>,
  crashing: ReadonlySet<number>,
): boolean {
  const grave = graveOf(number, crashing)
  return grave !== undefined && !waiting.has(number) && !graves[grave].includes(number)
}

function duplicates(handled: readonly HandlerRecord[], everywhere: readonly (number | undefined)[]): number {
  const ends = [...handled.filter(({ what }) => what === 'succeeded').map(({ number }) => number), ...known(everywhere)]
  return ends.length - new Set(ends).size
}

/** A message may run again after a crash; it may not run for the first time before the one ahead of it has succeeded. */
function disordered(handled: readonly HandlerRecord[]): number[] {
  const succeeded = new Set<number>()
  const newest = new Map<number, number>()
  const wrong: number[] = []
  for (const { what, number } of handled) {
    const lane = laneOf(number)
    if (lane === undefined) continue
    if (what === 'succeeded') {
      succeeded.add(number)
      continue
    }
    const ahead = newest.get(lane)
    if (ahead !== undefined && number > ahead && !succeeded.has(ahead)) wrong.push(number)
    if (ahead === undefined || number > ahead) newest.set(lane, number)
    else if (number < ahead && !succeeded.has(number)) wrong.push(number)
  }
  return wrong
}
