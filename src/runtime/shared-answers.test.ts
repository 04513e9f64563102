import { describe, expect, test } from 'vitest'
import { createSharedAnswers, type SharedAnswers } from './shared-answers.ts'
import type { Turn } from './turn.ts'

type Make = (taken: (turn: Turn) => void, refused: (turn: Turn, error: unknown) => void) => SharedAnswers

function setUp(make: Make = createSharedAnswers) {
  const told: string[] = []
  const nameOf = (turn: Turn) => turn as unknown as string
  const tellAnswer = make(
    (turn) => void told.push(`${nameOf(turn)} taken`),
    (turn, error) => void told.push(`${nameOf(turn)} ${String(error)}`),
  )
  return { told, ask: (turn: string, answer: Promise<unknown>) => tellAnswer(turn as unknown as Turn, answer) }
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A promise that is given for the first two, and again when it has been answered. */
async function toldOfOneGivenAgain(make: Make): Promise<readonly string[]> {
  const { told, ask } = setUp(make)
  const answer = Promise.resolve()
  ask('first', answer)
  ask('second', answer)
  await turnOfTheLoop()
  ask('third', answer)
  await turnOfTheLoop()
  return told
}

describe('answers', () => {
  test('that are one promise for several turns are told to each of them, in their order', async () => {
    const { told, ask } = setUp()
    const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    ask('a', one.promise)
    ask('b', one.promise)
    ask('c', other.promise)
    ask('d', one.promise)
    other.reject('lost')
    await turnOfTheLoop()
    expect(told).toEqual(['c lost'])
    one.resolve()
    await turnOfTheLoop()
    expect(told).toEqual(['c lost', 'a taken', 'b taken', 'd taken'])
  })

  test('that are given again after they came are told again', async () => {
    expect(await toldOfOneGivenAgain(createSharedAnswers)).toEqual(['first taken', 'second taken', 'third taken'])
  })

  test('planted bug: whoever joins those that have been told already is never told', async () => {
    const joinsForEver: Make = (taken, refused) => {
      let latest: { answer: Promise<unknown>; turns: Turn[] } | undefined
      return (turn, answer) => {
        if (latest?.answer === answer) return void latest.turns.push(turn)
        const turns = [turn]
        latest = { answer, turns }
        answer.then(
          () => turns.forEach(taken),
          (error) => turns.forEach((each) => void refused(each, error)),
        )
      }
    }
    expect(await toldOfOneGivenAgain(joinsForEver)).toEqual(['first taken', 'second taken'])
  })
})
