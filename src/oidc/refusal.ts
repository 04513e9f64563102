import { RedriveError } from '../core/errors.ts'

/** Why somebody did not come in, as the audit trail calls it. */
export type RefusalReason =
  | 'no-attempt'
  | 'issuer-refused'
  | 'code-refused'
  | 'client-refused'
  | 'untrusted-answer'
  | 'no-group'
  | 'disabled'

const words: Readonly<Record<RefusalReason, string>> = {
  'no-attempt': 'Nobody began to sign in with this browser, or it took longer than ten minutes. Begin again.',
  'issuer-refused': 'The issuer did not let you in. Begin again, or ask those who run it.',
  'code-refused': 'The issuer does not take the code any more: it was used, or has expired. Begin again.',
  'client-refused': 'The issuer refused this server: its client id, its secret or its address is not what is registered there.',
  'untrusted-answer': 'What came back is no answer of the issuer to this sign-in that can be trusted.',
  'no-group': 'The issuer knows you, and none of your groups may come in here. Ask an admin of Redrive.',
  disabled: 'This account is disabled. Ask an admin of Redrive.',
}

/** What somebody might try again and again with something else. Without an attempt of this browser nothing was looked at: any page can send people there. */
const guesses: ReadonlySet<RefusalReason> = new Set(['code-refused', 'untrusted-answer'])

export function isGuess(error: unknown): boolean {
  return error instanceof LoginRefusal && guesses.has(error.reason)
}

/** Somebody is not let in. `detail` is for the audit trail: names of checks, and nothing of a token. */
export class LoginRefusal extends RedriveError {
  readonly reason: RefusalReason
  readonly detail: Readonly<Record<string, string>>

  constructor(reason: RefusalReason, detail: Readonly<Record<string, string>> = {}, options?: { cause?: unknown }) {
    super('login-refused', words[reason], options)
    this.reason = reason
    this.detail = detail
  }
}
