import { setTimeout as sleep } from 'node:timers/promises'
import type { AtEnd, Instance } from './instances.ts'

/** They ask those that serve, again and again, as people and load balancers do, and never one that is about to be ended. */
export interface Visitors {
  readonly served: number
  readonly refused: readonly string[]
  comeTo(instance: Instance): void
  /** Nobody asks this one any more, and nobody waits for its answer. */
  leave(instance: Instance): Promise<void>
  end(): Promise<void>
}

interface Visit {
  isOver: boolean
  done: Promise<void>
}

/** Between two requests of one visitor. Milliseconds. */
const pause = 20

export function visitorsTo(first: readonly Instance[], atEnd: AtEnd): Visitors {
  const refused: string[] = []
  const visits = new Map<Instance, Visit>()
  let served = 0

  async function keepAsking(instance: Instance, visit: Visit): Promise<void> {
    const questions = questionsTo(instance)
    for (let n = 0; !visit.isOver; n++) {
      await questions[n % questions.length]?.().then(
        () => served++,
        (error) => void refused.push(`${error.code}: ${error.message}`),
      )
      await sleep(pause)
    }
  }

  function comeTo(instance: Instance): void {
    const visit: Visit = { isOver: false, done: Promise.resolve() }
    visit.done = keepAsking(instance, visit)
    visits.set(instance, visit)
  }

  async function leave(instance: Instance): Promise<void> {
    const visit = visits.get(instance)
    if (visit) visit.isOver = true
    await visit?.done
    visits.delete(instance)
  }

  async function end(): Promise<void> {
    for (const each of [...visits.keys()]) await leave(each)
  }

  for (const each of first) comeTo(each)
  atEnd(end)
  return {
    get served() {
      return served
    },
    ...{ refused, comeTo, leave, end },
  }
}

/** What is read and what is written, of every kind. */
function questionsTo({ plane, http }: Instance): readonly (() => Promise<unknown>)[] {
  const newest = async () => (await plane.letters.find({ limit: 1 })).letters[0]?.id
  const about =
    (ask: (letter: number) => Promise<unknown>): (() => Promise<unknown>) =>
    async () => {
      const letter = await newest()
      return letter === undefined ? undefined : ask(letter)
    }
  return [
    () => plane.letters.find({ limit: 20 }),
    () => plane.causes.list({ limit: 5 }),
    () => http.get('/alerts'),
    about((letter) => plane.letters.note(letter, 'seen', { actor: 'ana' })),
    about((letter) => plane.letters.content(letter)),
  ]
}
