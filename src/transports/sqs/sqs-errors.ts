import { type ErrorCode, RedriveError } from '../../core/errors.ts'

interface Meaning {
  readonly code: ErrorCode
  readonly advice: string
}

const invalidHandle: Meaning = { code: 'hold-lost', advice: 'The message is no longer ours.' }
const throttled: Meaning = { code: 'refused', advice: 'Too many requests; it may be asked again later. Nothing was done.' }
const denied: Meaning = { code: 'access-denied', advice: 'A right is missing; docs/sqs.md lists those that are needed.' }
const unknownKey: Meaning = { code: 'access-denied', advice: 'The credentials are wrong or have expired.' }
const noQueue: Meaning = { code: 'unknown-channel', advice: 'The queue does not exist; provision first.' }
const tooLong: Meaning = { code: 'too-large', advice: 'The message is larger than the queue takes.' }
const badContent: Meaning = { code: 'bad-message', advice: 'The message holds what SQS does not take.' }

/** By the name of the error, as JSON and as the older protocol spell it. */
const meanings: Readonly<Record<string, Meaning>> = {
  QueueDoesNotExist: noQueue,
  'AWS.SimpleQueueService.NonExistentQueue': noQueue,
  QueueDeletedRecently: { code: 'refused', advice: 'A queue of this name was deleted less than 60 seconds ago; wait that long.' },
  QueueNameExists: { code: 'refused', advice: 'The queue was made meanwhile with other attributes.' },
  ReceiptHandleIsInvalid: invalidHandle,
  MessageNotInflight: invalidHandle,
  BatchRequestTooLong: tooLong,
  MessageTooLong: tooLong,
  InvalidMessageContents: badContent,
  InvalidAttributeValue: badContent,
  OverLimit: { code: 'refused', advice: 'Too many messages of the queue are in flight; settle some first.' },
  RequestThrottled: throttled,
  ThrottlingException: throttled,
  Throttling: throttled,
  'KMS.ThrottlingException': throttled,
  KmsThrottled: throttled,
  AccessDenied: denied,
  AccessDeniedException: denied,
  KmsAccessDenied: denied,
  'KMS.AccessDeniedException': denied,
  InvalidClientTokenId: unknownKey,
  UnrecognizedClientException: unknownKey,
  SignatureDoesNotMatch: unknownKey,
  ExpiredToken: unknownKey,
  ExpiredTokenException: unknownKey,
  InvalidSecurity: { code: 'access-denied', advice: 'Amazon takes HTTPS alone.' },
}

/** Before a connection there was no request. */
const neverSent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/

interface SdkError {
  readonly name?: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** The text of the server is left out: it may quote what is in a message. */
export function sqsError(error: unknown): RedriveError {
  if (error instanceof RedriveError) return error
  const { name = '', code = '', $metadata } = (error ?? {}) as SdkError
  const status = $metadata?.httpStatusCode
  // It was taken, and what became of it broke off: the SDK tells that with the status that came before.
  if (status !== undefined && status < 300) return new RedriveError('unsure', 'The answer of SQS broke off.', { cause: error })
  if (status !== undefined) return answered(name, status < 500 ? 'refused' : 'unsure')
  if (name === 'CredentialsProviderError')
    return new RedriveError('access-denied', 'There are no AWS credentials: give some, or set up the environment.', {
      cause: error,
    })
  if (neverSent.test(code)) return new RedriveError('unreachable', `SQS cannot be reached (${code}); nothing was done.`)
  if (/region/i.test(error instanceof Error ? error.message : ''))
    return new RedriveError('bad-option', 'sqs: region is missing; give it, or set AWS_REGION.')
  return new RedriveError('unsure', 'The connection to SQS was lost before it answered.', { cause: error })
}

/** Amazon has no name of its own for a receipt handle whose time is over, and says it in words. */
const handleIsOver = /receipt handle has expired|not available for visibility timeout change/i

export interface EntryFailure {
  readonly Code?: string | undefined
  readonly Message?: string | undefined
  readonly SenderFault?: boolean | undefined
}

/** What one entry of a batch came to; `undefined` where nothing was said. */
export function entryError(failure: EntryFailure | undefined): RedriveError {
  const { Code = '', Message = '', SenderFault } = failure ?? {}
  const name = Code === 'InvalidParameterValue' && handleIsOver.test(Message) ? 'ReceiptHandleIsInvalid' : Code
  return answered(name, SenderFault ? 'refused' : 'unsure')
}

function answered(name: string, otherwise: ErrorCode): RedriveError {
  const { code, advice } = meanings[name] ?? { code: otherwise, advice: otherwise === 'unsure' ? 'It may have been done.' : '' }
  return new RedriveError(code, `SQS answered with ${name || 'an error without a name'}. ${advice}`.trim())
}
