import { RedriveError } from '../core/errors.ts'

/** What a client has seen, as `ETag` says it and `If-Match` says it again. */
export function etag(...parts: readonly (string | number | null)[]): string {
  return `"${parts.join('.')}"`
}

export function requireMatch(ifMatch: string | undefined, current: string): void {
  if (ifMatch === undefined) throw new RedriveError('if-match-needed', 'Send the ETag of what you have seen as If-Match.')
  allowMatch(ifMatch, current)
}

/** Where a change overwrites nothing that a person would miss, the header may be absent. */
export function allowMatch(ifMatch: string | undefined, current: string): void {
  if (ifMatch === undefined || ifMatch === current) return
  throw new RedriveError('changed-meanwhile', 'It was changed since you looked.')
}
