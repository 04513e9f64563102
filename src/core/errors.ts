/**
 * Every way in which Redrive itself can fail, in one closed table. `docs/errors.md` is kept equal to it by a test.
 * A code is part of the public API: it may be added, never renamed.
 */
export const errorCodes = {
  'bad-option': 'An option has a value that is not allowed. The message names the option, the value and what is allowed.',
  'unknown-option': 'An option is not known. The message names the one that was probably meant.',
  'bad-filter': 'A filter cannot be read. The message shows the character at which it goes wrong, and what may stand there.',
  'bad-config': 'The configuration file has mistakes. The message tells all of them, each with its line and column.',
  'bad-topology': 'The channels on the broker are not as this consumer needs them: a failing message would have nowhere to go.',
  'bad-message':
    'A message cannot be sent as it is: no body where one is needed, a header that the broker cannot hold. Or a line of a file is no letter that `redrive export --bodies` wrote.',
  'too-large': 'A message is larger than the broker or the channel takes.',
  'unknown-channel': 'The channel does not exist on the broker.',
  refused: 'The broker refused and certainly wrote nothing. Sending again is safe.',
  unsure: 'The outcome is not known: the connection was lost before the broker confirmed. It may have been written.',
  'hold-lost':
    'The delivery is no longer ours: its lock expired, its partition moved or its connection was lost. Nothing was settled.',
  unsupported: 'This broker cannot do that. The capability table in the README says what each one can.',
  closed: 'The transport, consumer or producer is closed.',
  'not-running': 'The consumer is not in a state that allows this call.',
  unreachable: 'The broker or the store cannot be reached.',
  'access-denied': 'The broker refused the credentials or the rights are missing.',
  'store-corrupt': 'The database file is damaged. It is refused as it is, and never served as empty.',
  'store-readonly': 'The database file or its folder cannot be written.',
  'store-full': 'The disk that holds the database, or the store of bodies, is full. What was acknowledged before is kept.',
  'store-newer': 'The database was written by a newer version of Redrive.',
  'copy-unfinished':
    'The vault is half of a copy, because `redrive vault copy` was ended before it was done. It is not used as it is.',
  'vault-key-missing':
    'Letters of the vault are sealed with a key that was not given. Nothing of them is shown, and nothing is kept in clear instead.',
  'vault-key-retired': 'The key of the vault was replaced by another one, and nothing is sealed with it any more.',
  'content-broken':
    'What a letter holds does not fit its seal: it was changed in the database, or belongs to another letter. It is neither shown nor sent.',
  'store-failed': 'The database failed in a way that has no code of its own; the cause says how.',
  'spool-unusable': 'The folder of the spool is missing, cannot be written, or all its slots are in use by other processes.',
  'spool-full': 'The spool has reached its `maxSize`. Messages are held instead; nothing is completed.',
  'body-missing': 'A message says that its body stands in a store, and it is not there, or this consumer has no such store.',
  'body-corrupt': 'A stored body is not the one that was sent: its size or its hash differs.',
  'missing-library': 'The client library of this broker is not installed. The message holds the command that installs it.',
  'handler-timeout': 'The handler did not finish within its timeout.',
  'invalid-message': 'The body does not decode, or is not valid against the schema of its type.',
  'not-mentioned': 'A batch handler returned without saying what became of this message, which therefore has failed.',
  'no-transaction': 'An inbox was asked outside a transaction of its database.',
  'not-seen': 'What a test waited for did not happen in the time that it was given. The message tells what did.',
  'not-found': 'There is no such letter, cause, replay or source.',
  conflict: 'Somebody else was quicker, or what was asked for does not fit its state. Nothing was changed; look again.',
  'nothing-to-do': 'Nothing is left of what was selected. The message says why.',
  'breaks-schema':
    'An edited body is not as the JSON Schema of its source wants it. Nothing was kept; the message names the rules that it breaks.',
  'seal-broken': 'A replay is not what was sealed and shown any more. Nothing was sent.',
  'bad-request': 'A request to the server is not what it takes. The message names the field and what is allowed.',
  'not-signed-in': 'Nobody is signed in: no session, or one that has ended; a token that is wrong, revoked or expired.',
  'login-refused':
    'Somebody came back from the OpenID issuer and was not let in: the answer cannot be trusted, or nobody with these groups may come in. The audit trail has the reason.',
  'not-allowed':
    'The account may not do this, or not to letters of this source. Nothing was done; the attempt is in the audit trail.',
  'cross-site': 'A browser sent this from a page of another site, or did not say from which. Nothing was done.',
  'wrong-method': 'This address does not know the HTTP method. The header `Allow` lists those that it knows.',
  'wrong-media-type': 'The body of a request is not JSON, or it is compressed.',
  'changed-meanwhile': 'What was to be changed is not any more what `If-Match` says was seen. Nothing was changed.',
  'if-match-needed': 'A change needs the header `If-Match`, so that nobody overwrites what somebody else just wrote.',
  'key-reused': 'This `Idempotency-Key` was used before with another request.',
  'too-many-attempts': 'Too many attempts failed. The header `Retry-After` says in how many seconds to try again.',
  'weak-password': 'The password is too short, too long, or one of those that are tried first.',
  'audit-failed': 'The audit trail cannot be written, and what cannot be noted is not done.',
  internal: 'The server failed in a way that nobody foresaw. Its log holds the cause.',
  'unknown-type': 'No handler is registered for the type of this message.',
} as const

export type ErrorCode = keyof typeof errorCodes

export class RedriveError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'RedriveError'
    this.code = code
  }
}

export function hasCode(error: unknown, code: ErrorCode): error is RedriveError {
  return error instanceof RedriveError && error.code === code
}

const nothingWritten: readonly ErrorCode[] = [
  'refused',
  'too-large',
  'bad-message',
  'unknown-channel',
  'unsupported',
  'access-denied',
  'unreachable',
]

/** Whether a send that failed so has certainly written nothing. After everything else nobody knows. */
export function isCertainlyNotWritten(error: unknown): error is RedriveError {
  return nothingWritten.some((code) => hasCode(error, code))
}

/** What may be shown and stored of a failure: a code and no text, because what a broker or a driver says about a message may quote it. */
export function codeOf(error: unknown): ErrorCode | 'failed' {
  return error instanceof RedriveError ? error.code : 'failed'
}
