import { RedriveError } from '../core/errors.ts'

/** How something stands, as `ETag` says it and `If-Match` says it again. */
export function etag(standing: string | number): string {
  return `"${standing}"`
}

/** What a client has seen, where it says so: it is compared when the change is written. What is no tag of ours is like nothing that is there. */
export function seenIn(ifMatch: string | undefined): string | undefined {
  if (ifMatch === undefined) return undefined
  return /^"(.*)"$/s.exec(ifMatch)?.[1] ?? ''
}

/** For what would overwrite something that a person would miss. */
export function requireSeen(ifMatch: string | undefined): string {
  const seen = seenIn(ifMatch)
  if (seen === undefined) throw new RedriveError('if-match-needed', 'Send the ETag of what you have seen as If-Match.')
  return seen
}
