import type { Told } from '../../api/live.ts'
import { many } from '../../parts/number.model.ts'

/** What a list of letters does not show yet; `undefined` for nothing. */
export function newsText(asOf: Told, told: Told): string | undefined {
  const letters = told.letters - asOf.letters
  if (told.doubts === asOf.doubts) return letters > 0 ? `${many(letters, 'letter')} came or changed` : undefined
  return letters > 0 ? `${many(letters, 'letter')} came or changed, perhaps more` : 'Letters may have come or changed'
}
