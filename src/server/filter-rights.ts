import { RedriveError } from '../core/errors.ts'
import type { Filter } from '../core/filter/filter.ts'
import { parseFilter } from '../core/filter/parse-filter.ts'
import { globAnyCase } from '../core/glob.ts'
import type { Principal } from './principal.ts'
import type { Right } from './rights.ts'

/**
 * Whoever may ask whether a payload holds a word learns what it holds, word by word. So such a question needs the right to see what it is
 * about: the body as it is, the headers, or those headers that are masked. A key is found only by who knows it already.
 */
export type RefusePeeking = (principal: Principal, filter: string | undefined) => void

/** Names of masked headers; `*` is any characters. */
export function createRefusePeeking(maskedHeaders: readonly string[]): RefusePeeking {
  const tests = maskedHeaders.map(globAnyCase)

  function neededBy(filter: Filter): readonly Right[] {
    switch (filter.kind) {
      case 'all':
      case 'any':
        return filter.of.flatMap(neededBy)
      case 'not':
        return neededBy(filter.of)
      case 'header':
        return [tests.some((isMasked) => isMasked(filter.name)) ? 'payload:reveal' : 'payload:read']
      case 'text':
        return filter.where === 'body' ? ['payload:reveal'] : []
      default:
        return []
    }
  }

  return ({ rights }, filter) => {
    if (filter === undefined) return
    for (const right of neededBy(parseFilter(filter))) {
      if (!rights.has(right))
        throw new RedriveError('not-allowed', `This filter looks into payloads, which needs the right ${right}.`)
    }
  }
}
