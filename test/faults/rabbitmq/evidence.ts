import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type HandlerRecord, readRecords } from '../handler-log.ts'
import { readProduced } from '../harness/producer-log.ts'
import { judge, type Verdict } from '../ledger.ts'
import { faultChannels, kindOf } from '../messages.ts'
import { createObserver, type Found } from './observer.ts'
import type { Stage } from './stage.ts'

/** What the three observers know: the producer's log, the handlers' logs, and a bare client that takes what it finds. */
export interface Evidence {
  readonly producerLog: string
  handlerLog(life: number): string
  /** Takes what is in the graves now, and remembers it. */
  empty(): Promise<void>
  /** Confirmed, and so far neither handled nor in a grave. */
  missing(): readonly number[]
  /** How many handler runs succeeded so far. */
  succeeded(): number
  /** Those of them whose handler succeeds, sooner or later. */
  missingHealthy(): readonly number[]
  /** Still to be accounted for, or still in a queue from which it is to be processed. */
  leftToDo(): Promise<number>
  /** Only once nobody consumes any more. */
  conclude(deaths: readonly number[]): Promise<Conclusion>
}

export interface Conclusion {
  readonly verdict: Verdict
  /** What must not be, beyond what the ledger judges. */
  readonly complaints: readonly string[]
  readonly largestHeaders: number
}

export function gatherEvidence({ vhost, folder }: Stage, crashing: number | undefined): Evidence {
  const producerLog = join(folder, 'produced.log')
  const observer = createObserver(vhost)
  const deadLetters: Found[] = []
  const invalid: Found[] = []

  async function empty(): Promise<void> {
    deadLetters.push(...(await observer.take(faultChannels.deadLetter)))
    invalid.push(...(await observer.take(faultChannels.invalid)))
  }

  function missing(): readonly number[] {
    const succeeded = handledIn(folder).filter(({ what }) => what === 'succeeded')
    const done = new Set([...succeeded, ...deadLetters, ...invalid].map(({ number }) => number))
    return readProduced(producerLog).confirmed.filter((number) => !done.has(number))
  }

  function isHealthy(number: number): boolean {
    return number !== crashing && (kindOf(number) === 'good' || kindOf(number) === 'flaky')
  }

  return {
    producerLog,
    handlerLog: (life) => join(folder, `handled-${life}.log`),
    empty,
    missing,
    succeeded: () => handledIn(folder).filter(({ what }) => what === 'succeeded').length,
    missingHealthy: () => missing().filter(isHealthy),
    async leftToDo() {
      await empty()
      return (await observer.waiting()) + missing().length
    },
    async conclude(deaths) {
      const unfinished = await observer.takeUnfinished()
      await empty()
      // A copy of something that is done is a duplicate, and may still travel; what is not done anywhere should not be here.
      const undone = new Set(missing())
      const neverFinished = unfinished.filter(({ number }) => number === undefined || undone.has(number)).length
      const { tried, confirmed } = readProduced(producerLog)
      const verdict = judge({
        confirmed,
        attempted: tried,
        handled: handledIn(folder),
        work: numbersOf(unfinished),
        deadLetter: numbersOf(deadLetters),
        invalid: numbersOf(invalid),
        crashing: new Set(crashing === undefined ? [] : [crashing]),
        deaths: deaths.map((life) => ({ life })),
        reasons: new Map(deadLetters.map(({ number, reason }) => [number ?? -1, reason ?? 'none'])),
      })
      return {
        verdict,
        complaints: [
          ...(neverFinished > 0 ? [`${neverFinished} messages were never finished`] : []),
          ...lettersOfTwoNames(deadLetters),
          ...whatTheySay(deadLetters, verdict.wronglyDead),
        ],
        largestHeaders: Math.max(0, ...deadLetters.map(({ headerBytes }) => headerBytes)),
      }
    },
  }
}

function handledIn(folder: string): readonly HandlerRecord[] {
  const logs = readdirSync(folder).filter((file) => file.startsWith('handled-'))
  return logs.flatMap((file) => readRecords(join(folder, file)))
}

function numbersOf(found: readonly Found[]): (number | undefined)[] {
  return found.map(({ number }) => number)
}

function whatTheySay(letters: readonly Found[], wrong: readonly number[]): readonly string[] {
  const blamed = letters.filter(({ number }) => number !== undefined && wrong.includes(number))
  return blamed.slice(0, 3).map(({ number, headers }) => `${number} is dead and says ${headers}`)
}

/** Copies of one letter around a crash must be known as one. */
function lettersOfTwoNames(letters: readonly Found[]): readonly string[] {
  const names = new Map<number, Set<string>>()
  for (const { number, letter } of letters) {
    if (number !== undefined && letter !== undefined) names.set(number, (names.get(number) ?? new Set()).add(letter))
  }
  const wrong = [...names.values()].filter((each) => each.size > 1).length
  return wrong > 0 ? [`${wrong} messages have letters with two ids`] : []
}
