import { RedriveError } from '../core/errors.ts'
import type { OpenidClient } from './library.ts'
import { LoginRefusal } from './refusal.ts'

/** Errors of RFC 6749 and of OpenID Connect. What else is said may be anything, and is not written down. */
const knownErrors: ReadonlySet<string> = new Set([
  ...['access_denied', 'invalid_request', 'invalid_scope', 'unauthorized_client', 'unsupported_response_type', 'server_error'],
  ...['temporarily_unavailable', 'interaction_required', 'login_required', 'account_selection_required', 'consent_required'],
  ...['invalid_grant', 'invalid_client', 'unsupported_grant_type', 'registration_not_supported', 'request_not_supported'],
])
/** What the issuer says when it is this server that it does not know, and not the person. */
const aboutUs: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client', 'unsupported_grant_type'])

/** What the library says is wrong, as one of our errors. Its texts may quote a token, so that only names of checks are taken over. */
export function understandFailure(
  error: unknown,
  { AuthorizationResponseError, ResponseBodyError, ClientError }: OpenidClient,
): RedriveError {
  // The second is what was refused before a request left.
  for (const ours of [error, Object(error).cause]) if (ours instanceof RedriveError) return ours
  if (error instanceof AuthorizationResponseError) return refusal('issuer-refused', error, { error: nameOf(error.error) })
  if (error instanceof ResponseBodyError) {
    return refusal(aboutUs.has(error.error) ? 'client-refused' : 'code-refused', error, { error: nameOf(error.error) })
  }
  if (error instanceof ClientError && !notAnswered.has(error.code ?? '')) {
    return refusal('untrusted-answer', error, { check: checkOf(error) })
  }
  return new RedriveError('unreachable', 'The issuer does not answer, or not as one does. Try again, or ask those who run it.', {
    cause: error,
  })
}

/** Also an error page of something in between. */
const notAnswered: ReadonlySet<string> = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'])

function refusal(reason: LoginRefusal['reason'], cause: unknown, detail: Record<string, string>): LoginRefusal {
  return new LoginRefusal(reason, detail, { cause })
}

function nameOf(said: string): string {
  return knownErrors.has(said) ? said : 'other'
}

/** `OAUTH_JWT_CLAIM_COMPARISON_FAILED aud`: which check it was, and of which claim. Codes and names of claims are the library's own. */
function checkOf({ code, cause }: Error & { readonly code?: string | undefined }): string {
  const { claim } = Object(Object(cause).cause) as { readonly claim?: unknown }
  return [code ?? 'unknown', ...(typeof claim === 'string' && /^\w{1,20}$/.test(claim) ? [claim] : [])].join(' ')
}
