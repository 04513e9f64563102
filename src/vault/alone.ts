import { RedriveError } from '../core/errors.ts'
import type { Sql } from './sql.ts'

/** An operation found that it has to be alone with the vault. Nothing of it is done; it is done again by who is alone. */
export class NotAlone extends RedriveError {
  constructor() {
    super('refused', 'This is written by whoever has the vault alone; nothing was written.')
  }
}

/**
 * Asked where something is read that others might change before it is written, and where rows are changed that are not those of one source. What letters of
 * several sources have in common is counted alone, in a fixed order, and never judged, while others do the same.
 */
export function needsToBeAlone({ isAlone }: Pick<Sql, 'isAlone'>): void {
  if (!isAlone) throw new NotAlone()
}
