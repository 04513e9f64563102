import type { Turn } from './turn.ts'

/** Tells each turn how its settlement was answered. Where a transport answers many at one time it gives one promise for all of them, and one callback is enough. */
export type SharedAnswers = (turn: Turn, answer: Promise<unknown>) => void

export function createSharedAnswers(taken: (turn: Turn) => void, refused: (turn: Turn, error: unknown) => void): SharedAnswers {
  let latest: { readonly answer: Promise<unknown>; readonly turns: Turn[] } | undefined

  return (turn, answer) => {
    if (latest?.answer === answer) {
      latest.turns.push(turn)
      return
    }
    const turns = [turn]
    latest = { answer, turns }
    answer.then(
      () => {
        close(turns)
        for (const each of turns) taken(each)
      },
      (error) => {
        close(turns)
        for (const each of turns) refused(each, error)
      },
    )
  }

  /** The same promise may be given again when it has been answered: whoever comes with it then is not told with these. */
  function close(turns: readonly Turn[]): void {
    if (latest?.turns === turns) latest = undefined
  }
}
