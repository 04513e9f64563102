import { type PlaceholderKind, placeholderRules, telltale } from './placeholders.ts'

/** A text without what differs from letter to letter. */
export interface NormalisedText {
  /** With one mark for every kind: the same customer is a number here and a UUID there. What is compared. */
  readonly pattern: string
  /** With the name of what was replaced. What people read. */
  readonly shown: string
  readonly replaced: readonly Replaced[]
}

export interface Replaced {
  readonly kind: PlaceholderKind
  readonly count: number
}

/** More than this of a text is a dump, and is not looked at. */
const lookedAt = 8192

/** One expression that tries the rules in their order at every place, so that a text is walked through once. */
const anyRule = new RegExp(
  [telltale, ...placeholderRules.map(({ pattern }) => pattern)].map(({ source }) => `(${source})`).join('|'),
  'g',
)

export function normalise(text: string): NormalisedText {
  const counts = new Map<PlaceholderKind, number>()
  const replaced = oneLine(text.slice(0, lookedAt).toWellFormed()).replace(anyRule, (match: string, ...groups: unknown[]) => {
    const kind = kindOf(groups)
    if (kind === undefined) return match
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return `<${kind}>`
  })
  const shown = oneLine(replaced.replace(/(?:\\[nrt])+/g, ' '))
  return {
    pattern: shown.replace(marks, mark),
    shown,
    replaced: Array.from(counts, ([kind, count]) => ({ kind, count })),
  }
}

const mark = '<*>'
/** Several in a row are one: `2026-03-01 4711` and `4711` stand for the same. */
const marks = new RegExp(`<(?:${placeholderRules.map(({ kind }) => kind).join('|')})>(?:[ :.,/#_-]{0,3}<[a-z]{2,9}>)*`, 'g')

/** The first group is what must stay; each of the others belongs to the rule at its index. */
function kindOf([, ...groups]: readonly unknown[]): PlaceholderKind | undefined {
  const index = groups.findIndex((group) => group !== undefined)
  return placeholderRules[index]?.kind
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
