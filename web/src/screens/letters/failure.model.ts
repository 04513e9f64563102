import type { Letter } from '../../api/letters.ts'
import { seen } from '../../parts/seen.model.ts'

/** Why it died, in one line. */
export function failureText({ errorType, errorMessage, reason }: Pick<Letter, 'errorType' | 'errorMessage' | 'reason'>): string {
  const told = [errorType, errorMessage].filter((part) => part !== null && part !== '').join(': ')
  return seen(told || reason || 'No reason is known')
}
