import { join } from 'node:path'
import { recordsIn, type SeenRecord } from '../../brokers/kafka.ts'
import { readRecords } from '../handler-log.ts'
import { readProduced } from '../harness/producer-log.ts'
import { judge, type Verdict } from '../ledger.ts'
import { kindOf, numberIn } from '../messages.ts'
import { topicsOf } from './order.ts'
import type { Stage } from './stage.ts'

/** What the three observers know: the producer's log, the handlers' log, and a bare client that reads the graves by offset. */
export interface Evidence {
  readonly producerLog: string
  readonly handlerLog: string
  /** Reads what has come into the graves since. */
  look(): Promise<void>
  /** What the deleted topic held is remembered, and its successor is read from its beginning. */
  forgetOffsets(): void
  /** Confirmed, and so far neither handled nor in a grave. */
  missing(): readonly number[]
  missingHealthy(): readonly number[]
  conclude(deaths: readonly number[]): { readonly verdict: Verdict; readonly complaints: readonly string[] }
}

interface Found {
  readonly number: number | undefined
  readonly letter: string | undefined
  readonly reason: string
}

export function gatherEvidence({ broker, name, folder }: Stage, crashing: number | undefined): Evidence {
  const [producerLog, handlerLog] = [join(folder, 'produced.log'), join(folder, 'handled.log')]
  const { deadLetter, invalid } = topicsOf(name)
  const found = new Map<string, Found[]>([
    [deadLetter, []],
    [invalid, []],
  ])
  const offsets = new Map([...found.keys()].map((topic) => [topic, new Map<number, bigint>()]))

  async function look(): Promise<void> {
    for (const [topic, letters] of found) {
      const from = offsets.get(topic) ?? new Map<number, bigint>()
      for (const record of await recordsIn(broker, topic, from)) {
        letters.push(letterIn(record))
        from.set(record.partition, record.offset + 1n)
      }
    }
  }

  function missing(): readonly number[] {
    const succeeded = readRecords(handlerLog).filter(({ what }) => what === 'succeeded')
    const done = new Set([...succeeded, ...[...found.values()].flat()].map(({ number }) => number))
    return readProduced(producerLog).confirmed.filter((number) => !done.has(number))
  }

  return {
    producerLog,
    handlerLog,
    look,
    forgetOffsets: () => offsets.get(deadLetter)?.clear(),
    missing,
    missingHealthy: () => missing().filter((number) => number !== crashing && ['good', 'flaky'].includes(kindOf(number))),
    conclude(deaths) {
      const { tried, confirmed } = readProduced(producerLog)
      const letters = found.get(deadLetter) ?? []
      const verdict = judge({
        confirmed,
        attempted: tried,
        handled: readRecords(handlerLog),
        work: [],
        deadLetter: letters.map(({ number }) => number),
        invalid: (found.get(invalid) ?? []).map(({ number }) => number),
        crashing: new Set(crashing === undefined ? [] : [crashing]),
        deaths: deaths.map((life) => ({ life })),
        reasons: new Map(letters.map(({ number, reason }) => [number ?? -1, reason])),
      })
      return { verdict, complaints: lettersOfTwoNames(letters) }
    },
  }
}

/** Copies of one letter around a crash must be known as one. */
function lettersOfTwoNames(letters: readonly Found[]): readonly string[] {
  const names = new Map<number | undefined, Set<string | undefined>>()
  for (const { number, letter } of letters) names.set(number, (names.get(number) ?? new Set()).add(letter))
  const wrong = [...names.values()].filter((each) => each.size > 1).length
  return wrong > 0 ? [`${wrong} messages have letters with two ids`] : []
}

function letterIn({ value, headers }: SeenRecord): Found {
  const text = (name: string): string | undefined => headers.find(([header]) => header === name)?.[1].toString()
  return { number: numberIn(value), letter: text('redrive-letter'), reason: text('redrive-reason') ?? 'none' }
}
