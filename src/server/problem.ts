import { type ErrorCode, errorCodes, RedriveError } from '../core/errors.ts'

/** What each code is in HTTP. The type makes sure that a new code cannot come without a status. */
export const statusOfCode: Readonly<Record<ErrorCode, number>> = {
  'bad-request': 400,
  'bad-filter': 400,
  'bad-config': 400,
  'bad-option': 400,
  'unknown-option': 400,
  'not-signed-in': 401,
  'login-refused': 401,
  'not-allowed': 403,
  'cross-site': 403,
  'not-found': 404,
  'wrong-method': 405,
  conflict: 409,
  'seal-broken': 409,
  'changed-meanwhile': 412,
  'too-large': 413,
  'wrong-media-type': 415,
  'key-reused': 422,
  'weak-password': 422,
  'nothing-to-do': 422,
  'bad-message': 422,
  'breaks-schema': 422,
  'unknown-channel': 422,
  unsupported: 422,
  'if-match-needed': 428,
  'too-many-attempts': 429,
  // A broker said no, said nothing, or cannot be asked.
  refused: 502,
  'access-denied': 502,
  unreachable: 502,
  unsure: 504,
  // The vault cannot do it now.
  'audit-failed': 503,
  closed: 503,
  'store-corrupt': 503,
  'store-readonly': 503,
  'store-newer': 503,
  'copy-unfinished': 503,
  'vault-key-missing': 503,
  'vault-key-retired': 503,
  'content-broken': 503,
  'store-failed': 503,
  'store-full': 507,
  internal: 500,
  // What only consumers meet.
  'bad-topology': 500,
  'hold-lost': 500,
  'not-running': 500,
  'spool-unusable': 500,
  'spool-full': 500,
  'body-missing': 500,
  'body-corrupt': 500,
  'missing-library': 500,
  'handler-timeout': 500,
  'invalid-message': 500,
  'not-mentioned': 500,
  'no-transaction': 500,
  'not-seen': 500,
  'unknown-type': 500,
}

/** RFC 9457, with our code as a member of its own. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly issues?: readonly Issue[]
}

export interface Issue {
  readonly path: string
  readonly message: string
}

export function problem(code: ErrorCode, detail: string, issues?: readonly Issue[]): Problem {
  return {
    type: `urn:redrive:error:${code}`,
    title: errorCodes[code],
    status: statusOfCode[code],
    detail,
    code,
    ...(issues && { issues }),
  }
}

/** Says when to come again. */
export class TryLaterError extends RedriveError {
  readonly seconds: number

  constructor(seconds: number, message: string) {
    super('too-many-attempts', message)
    this.seconds = seconds
  }
}

interface FrameworkError {
  readonly statusCode?: number
  readonly message: string
  readonly validation?: readonly { readonly instancePath?: string; readonly message?: string }[]
  readonly validationContext?: string
}

const codeOfStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'bad-request',
  404: 'not-found',
  413: 'too-large',
  415: 'wrong-media-type',
}

/** Every error as what the client is told. What nobody foresaw says nothing about itself: its text may hold anything. */
export function problemOf(error: unknown): Problem {
  if (error instanceof RedriveError) return problem(error.code, error.message)
  const { statusCode = 500, message, validation, validationContext } = error as FrameworkError
  if (validation) {
    const issues = validation.map((issue) => ({
      path: `${validationContext ?? 'request'}${issue.instancePath ?? ''}`,
      message: issue.message ?? 'is not allowed',
    }))
    return problem('bad-request', issues.map((issue) => `${issue.path}: ${issue.message}`).join('; '), issues)
  }
  const code = codeOfStatus[statusCode]
  return code ? problem(code, message) : problem('internal', 'Something went wrong on the server.')
}
