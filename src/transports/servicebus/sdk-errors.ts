import { type ErrorCode, RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'

/** What each reason of the SDK means wherever it comes from. */
const codes: Readonly<Record<string, ErrorCode>> = {
  MessagingEntityNotFound: 'unknown-channel',
  MessageLockLost: 'hold-lost',
  SessionLockLost: 'hold-lost',
  MessageNotFound: 'hold-lost',
  SessionCannotBeLocked: 'hold-lost',
  MessageSizeExceeded: 'too-large',
  UnauthorizedAccess: 'access-denied',
  // The service refused before it did anything: too much to do, no room, or switched off.
  ServiceBusy: 'refused',
  QuotaExceeded: 'refused',
  MessagingEntityDisabled: 'refused',
  // Of the administration API.
  'HTTP 401': 'access-denied',
  'HTTP 403': 'access-denied',
  'HTTP 404': 'unknown-channel',
  'HTTP 429': 'refused',
}

/**
 * An error of the SDK as one of ours. `otherwise` is for all that may mean anything: `unreachable` where certainly nothing was done,
 * `unsure` where the service may have done it.
 */
export function sdkError(cause: unknown, about: string, otherwise: 'unreachable' | 'unsure'): RedriveError {
  if (cause instanceof RedriveError) return cause
  const reason = reasonOf(cause)
  const code = codes[reason] ?? otherwise
  return new RedriveError(code, `${about}: ${sentences[code] ?? 'Service Bus failed'} (${reason}).`, { cause })
}

const sentences: Partial<Record<ErrorCode, string>> = {
  'unknown-channel': 'there is no such entity in the namespace',
  'hold-lost': 'the lock has ended',
  'too-large': 'the message is larger than the entity takes',
  'access-denied': 'the key or the identity lacks the right for this',
  refused: 'the service refused, and nothing was done',
  unreachable: 'Service Bus cannot be reached',
  unsure: 'the connection broke before the service answered',
}

/** Such as `MessageLockLost`, or the status of the administration API. What the service said may quote the message, so it is not shown. */
export function reasonOf(cause: unknown): string {
  const { code, name, statusCode } = (cause ?? {}) as { code?: unknown; name?: unknown; statusCode?: unknown }
  if (statusCode !== undefined) return `HTTP ${String(statusCode)}`
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown'
}

const general = /^((?:InvalidOperation|Argument|ArgumentOutOfRange|NotImplemented|PreconditionFailed|Decode|InvalidField)Error): /

/**
 * What the service called a message that it has refused for what it is. The SDK has no reason for these: all are its GeneralError, as an
 * error of the service itself is, and only the name before the text tells them apart.
 */
export function refusedAs(cause: unknown): string | undefined {
  if (reasonOf(cause) !== 'GeneralError') return undefined
  return general.exec(String((cause as { message?: unknown }).message))?.[1]
}

/** The SDK has calls that take far longer than they were told to. */
export async function within<T>(
  clock: Clock,
  ms: number,
  otherwise: 'unreachable' | 'unsure',
  work: Promise<T>,
  timing: { readonly background?: boolean } = {},
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const giveUp = (): void => reject(new RedriveError(otherwise, `Service Bus did not answer within ${ms} ms.`))
  const cancel = clock.after(ms, giveUp, timing)
  // Whoever comes too late must not end the process by its failure.
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    cancel()
  }
}
