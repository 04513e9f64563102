import { withoutHeaders } from '../headers.ts'
import type { DialectWriter } from '../letter.ts'
import { fitHeaders } from './header-budget.ts'
import { description, letterHeaderNames, letterHeadersOf } from './letter-headers.ts'

/** Redrive's own way: the message exactly as it was, and everything about its failure in headers beside its own. */
export const redrive: DialectWriter = (draft, headerBudget) => {
  const own = withoutHeaders(draft.message.headers, (name) => letterHeaderNames.has(name))
  const letter = letterHeadersOf(draft)
  letter.push(description(draft))
  return { ...draft.message, headers: fitHeaders(own, letter, headerBudget) }
}
