import type { LetterState } from '../core/letter-states.ts'

/** What still asks for somebody's attention: what a red number counts. */
export const unresolvedStates: ReadonlySet<LetterState> = new Set(['open', 'replaying', 'sent', 'unknown'])

/** How letters are counted: what was purged has no row any more, and is counted all the same. */
export type CountedState = LetterState | 'purged'

/** What became of the broker's copy: followed; collected, but the broker has not accepted that yet; the same and delivered once more; gone. */
export type BrokerCopy = 'kept' | 'completing' | 'matched' | 'gone'
