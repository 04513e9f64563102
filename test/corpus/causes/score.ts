import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cause, causeOf, type Evidence } from '../../../src/core/fingerprint/fingerprint.ts'

/** An error as somebody labelled it: two are of one cause if an engineer would fix both with one change. */
export interface LabelledError {
  readonly cause: string
  readonly language: 'node' | 'java' | 'dotnet' | 'python' | 'go'
  readonly type: string
  readonly message: string
  readonly channel: string
  readonly stack?: string
}

/** The parts in the order in which they were written; see README.md for what each was used for. */
export const parts = ['first', 'second', 'third'] as const

export function readPart(part: (typeof parts)[number]): readonly LabelledError[] {
  const lines = readFileSync(join(import.meta.dirname, `${part}.jsonl`), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** Over all pairs of errors: of those grouped together, how many belong together; of those that belong together, how many are. */
export interface Score {
  readonly errors: number
  readonly causes: number
  readonly precision: number
  readonly recall: number
  /** Causes that fell together, and causes that fell apart. */
  readonly merged: readonly string[]
  readonly split: readonly string[]
}

export type Group = (evidence: Evidence, channel: string) => Cause['fingerprint']

const byRules: Group = (evidence, channel) => causeOf(evidence, channel, { body: null, headers: [] }).fingerprint

export function score(errors: readonly LabelledError[], group: Group = byRules): Score {
  const grouped = errors.map((error) => ({ cause: error.cause, group: group(evidenceOf(error), error.channel) }))
  const byGroup = Map.groupBy(grouped, (error) => error.group)
  const byCause = Map.groupBy(grouped, (error) => error.cause)
  const both = Map.groupBy(grouped, (error) => JSON.stringify([error.cause, error.group]))
  const right = pairsIn(both)
  return {
    errors: errors.length,
    causes: byCause.size,
    precision: right / pairsIn(byGroup),
    recall: right / pairsIn(byCause),
    merged: namesOf(byGroup, (members) => new Set(members.map(({ cause }) => cause))).map((names) => names.join(' + ')),
    split: [...byCause].filter(([, members]) => new Set(members.map((error) => error.group)).size > 1).map(([cause]) => cause),
  }
}

function evidenceOf({ type, message, stack }: LabelledError): Evidence {
  return { errorType: type, errorMessage: message, ...(stack !== undefined && { stack }) }
}

function pairsIn(groups: ReadonlyMap<string, readonly unknown[]>): number {
  return [...groups.values()].reduce((sum, { length }) => sum + (length * (length - 1)) / 2, 0)
}

function namesOf<T>(groups: ReadonlyMap<string, readonly T[]>, names: (members: readonly T[]) => Set<string>): string[][] {
  return [...groups.values()].map((members) => [...names(members)]).filter(({ length }) => length > 1)
}
