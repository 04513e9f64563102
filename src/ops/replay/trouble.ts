import type { SendOutcome } from '../../vault/operations/outcomes.ts'

/** What to do when everything that was on its way has landed. */
export type Remedy =
  | { readonly kind: 'go-on' }
  /** Nobody was there to take letters: try again after so many milliseconds. */
  | { readonly kind: 'rest'; readonly ms: number }
  | { readonly kind: 'stop'; readonly because: string }

/**
 * Whether a broker may be given more letters. After one that nobody took or confirmed, none is claimed until all that are on their way have
 * landed: a broker that died takes no others with it.
 */
export interface Trouble {
  readonly holdsBack: boolean
  heard(outcomes: readonly SendOutcome[]): void
  /** Asked once everything has landed. */
  remedy(): Remedy
}

const firstRest = 2000
const longestRest = 30_000

export function createTrouble(): Trouble {
  /** How often in a row nobody was there. */
  let away = 0
  let isAway = false
  /** Letters that may have arrived, since the last one that certainly did. */
  let doubted = 0

  return {
    get holdsBack() {
      return isAway || doubted > 0
    },
    heard(outcomes) {
      const went = (fate: SendOutcome['outcome']): number => outcomes.filter(({ outcome }) => outcome === fate).length
      doubted = went('sent') > 0 ? 0 : doubted + went('unknown')
      if (went('sent') > 0) away = 0
      if (went('unsent') > 0) isAway = true
    },
    remedy() {
      if (doubted > 0) {
        const because = `no send was confirmed, and ${doubted} may have arrived`
        ;[doubted, isAway] = [0, false]
        return { kind: 'stop', because }
      }
      if (!isAway) return { kind: 'go-on' }
      isAway = false
      return { kind: 'rest', ms: Math.min(longestRest, firstRest * 2 ** away++) }
    },
  }
}
