import type { ErrorCode } from './errors.ts'
import type { FailureClass } from './failure.ts'

/** What the runtime throws about a message; `classify` takes it for as explicit as a tag. */
type RuntimeVerdict = 'handler-timeout' | 'invalid-message' | 'unknown-type'

/** What all other errors of Redrive mean to the message whose handler threw them. */
export const classOfOwnCode: Readonly<Record<Exclude<ErrorCode, RuntimeVerdict>, FailureClass>> = {
  // What a handler sends will be refused in the same way again.
  'bad-message': 'permanent',
  'too-large': 'permanent',
  // As with the statuses 401, 403 and 404.
  'access-denied': 'permanent',
  'unknown-channel': 'permanent',
  // The process or what it depends on is at fault, and not the message.
  'bad-option': 'retryable',
  'unknown-option': 'retryable',
  'bad-filter': 'retryable',
  'bad-config': 'retryable',
  'bad-topology': 'retryable',
  refused: 'retryable',
  unsure: 'retryable',
  'hold-lost': 'retryable',
  unsupported: 'retryable',
  closed: 'retryable',
  'not-running': 'retryable',
  unreachable: 'retryable',
  'store-corrupt': 'retryable',
  'store-readonly': 'retryable',
  'store-full': 'retryable',
  'store-newer': 'retryable',
  'copy-unfinished': 'retryable',
  'vault-key-missing': 'retryable',
  'vault-key-retired': 'retryable',
  'content-broken': 'retryable',
  'store-failed': 'retryable',
  'spool-unusable': 'retryable',
  'spool-full': 'retryable',
  // A store may come back, or be restored; the letter keeps the reference.
  'body-missing': 'retryable',
  'body-corrupt': 'retryable',
  'missing-library': 'retryable',
  'no-transaction': 'retryable',
  'not-mentioned': 'retryable',
  'not-seen': 'retryable',
  // The control plane says no, and may say yes later.
  'not-found': 'retryable',
  conflict: 'retryable',
  'nothing-to-do': 'retryable',
  'breaks-schema': 'retryable',
  'seal-broken': 'retryable',
  'bad-request': 'retryable',
  'not-signed-in': 'retryable',
  'login-refused': 'retryable',
  'not-allowed': 'retryable',
  'cross-site': 'retryable',
  'wrong-method': 'retryable',
  'wrong-media-type': 'retryable',
  'changed-meanwhile': 'retryable',
  'if-match-needed': 'retryable',
  'key-reused': 'retryable',
  'too-many-attempts': 'retryable',
  'weak-password': 'retryable',
  'audit-failed': 'retryable',
  internal: 'retryable',
}

/** Codes of errors that pass by themselves: seed 001's network errors, unavailable services and transient database errors. */
export const retryableCodes: ReadonlySet<string> = new Set([
  // The network, as Node names it.
  'ETIMEDOUT',
  'ESOCKETTIMEDOUT',
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENETRESET',
  // The machine is short of something.
  'EAGAIN',
  'EBUSY',
  'EMFILE',
  'ENFILE',
  'ENOSPC',
  // HTTP clients.
  'ERR_NETWORK',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
  // Databases: lost connections, deadlocks, lost races, too many clients, a server that starts or stops.
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '40001',
  '40P01',
  '53300',
  '55P03',
  '57P01',
  '57P02',
  '57P03',
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_CON_COUNT_ERROR',
  'PROTOCOL_CONNECTION_LOST',
])

/** 4xx statuses that pass by themselves: Request Timeout, Too Early, Too Many Requests. */
const passingStatuses: readonly number[] = [408, 425, 429]

/** What an HTTP status says; nothing where it is no failure. */
export function classOfStatus(status: number): FailureClass | undefined {
  if (status >= 500 && status <= 599) return 'retryable'
  if (status >= 400 && status <= 499) return passingStatuses.includes(status) ? 'retryable' : 'permanent'
  return undefined
}
