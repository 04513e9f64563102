import type { Letter } from '../plane/desk.ts'

/** Why a letter died, in one line. It was made fit to be shown when it was kept. */
export function failureOf({ errorType, errorMessage, reason }: Letter): string | null {
  if (errorType && errorMessage && !errorMessage.startsWith(errorType)) return `${errorType}: ${errorMessage}`
  return errorMessage ?? errorType ?? reason
}
