import type { Answer } from '../../api/client.ts'
import { type Span, spanOf } from './json-place.model.ts'

export type SchemaVerdict = Answer<'POST /letters/{id}/edits/check'>
export type SchemaMistake = SchemaVerdict['mistakes'][number]

export interface PlacedMistake {
  readonly span: Span
  readonly text: string
}

/** What is wrong about one value is said once, in one line below it, and in the order of the text. */
export function placedMistakes(text: string, mistakes: readonly SchemaMistake[]): readonly PlacedMistake[] {
  const byPlace = Map.groupBy(mistakes, ({ at }) => at)
  return [...byPlace]
    .map(([at, own]) => ({ span: spanOf(text, at) ?? { from: 0, to: 0 }, text: sentenceOf(own) }))
    .toSorted((one, other) => one.span.from - other.span.from)
}

function sentenceOf(mistakes: readonly SchemaMistake[]): string {
  return `The schema says: ${[...new Set(mistakes.map(({ text }) => text))].join(', ')}.`
}
