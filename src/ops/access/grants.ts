import { RedriveError } from '../../core/errors.ts'
import type { Grant } from '../../vault/operations/accounts.ts'

/** Names that cannot be taken for each other, or for a part of a line in a log. */
export const userNames: { readonly form: RegExp; readonly told: string } = {
  form: /^[a-z0-9][a-z0-9._@-]{0,63}$/,
  told: 'small letters, digits and . _ @ -, at most 64',
}

/** Whoever makes users can make one who sees everything: to give an admin, or a token of one, some sources would only look like a limit. */
export function refusePartialAdmin({ role, sources }: Pick<Grant, 'role' | 'sources'>): void {
  if (role !== 'admin' || sources.includes('*')) return
  throw new RedriveError('bad-request', 'sources: an admin has all of them, ["*"].')
}
