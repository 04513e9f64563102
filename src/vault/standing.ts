import { Buffer } from 'node:buffer'
import { RedriveError } from '../core/errors.ts'
import type { LetterState } from '../core/letter-states.ts'
import type { CauseState } from './cause-states.ts'

/** How something stood when whoever changes it looked. Absent where they do not say. */
export interface AsSeen {
  readonly seen?: string
}

/** Another one after every edit, and when the letter is not where it was. */
export function standingOfLetter({ state }: { readonly state: LetterState }, newestEdit: number | undefined): string {
  return `${state}.${newestEdit ?? 0}`
}

interface Judged {
  readonly state: CauseState
  readonly stateSince: number
  readonly fixedIn: string | null
  readonly owner: string | null
  readonly regrouped: number
}

/** Another one after everything that people say about a cause, but for notes: they overwrite nothing. */
export function standingOfCause({ state, stateSince, fixedIn, owner, regrouped }: Judged): string {
  const [version, name] = [fixedIn, owner].map((text) => Buffer.from(text ?? '').toString('hex'))
  return [state, stateSince, version, regrouped, name].join('.')
}

/** Asked where it is changed, in the same transaction: of two who saw the same, the second does not overwrite what the first has said. */
export function refuseUnseen(seen: string | undefined, standing: string): void {
  if (seen === undefined || seen === standing) return
  throw new RedriveError('changed-meanwhile', 'It was changed since you looked.')
}
