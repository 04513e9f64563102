import { glob } from './glob.ts'

/** Patterns of `connection/channel`; where there is more than one list, every list has to match. */
export type Scopes = readonly (readonly string[])[]

export interface Place {
  readonly connection: string
  readonly channel: string
}

/**
 * Whether whoever was given these has at least what the others give. A pattern is asked for as a name: `*` in one of ours stands for whatever is written there,
 * and so for all that a `*` there may stand for.
 */
export function covers(scopes: Scopes, others: Scopes): boolean {
  return scopes.every((patterns) => {
    const tests = patterns.map(glob)
    const isCovered = (pattern: string): boolean => tests.some((matches) => matches(pattern))
    return patterns.includes('*') || others.some((list) => list.every(isCovered))
  })
}

export function within(scopes: Scopes): (place: Place) => boolean {
  const tests = scopes.map((patterns) => patterns.map(glob))
  return ({ connection, channel }) => tests.every((scope) => scope.some((matches) => matches(`${connection}/${channel}`)))
}
