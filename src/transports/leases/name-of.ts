import { RedriveError } from '../../core/errors.ts'
import type { Address } from '../seam.ts'

/** A queue that everybody takes from has no groups; a sub-queue is a channel of its own. */
export function nameOf({ name, group, part }: Address): string {
  if (group !== undefined) {
    throw new RedriveError(
      'unsupported',
      `${name} has no consumer groups here: leave out the group ${group}, and give each reader a channel of its own.`,
    )
  }
  return part === undefined ? name : `${name}/${part}`
}
