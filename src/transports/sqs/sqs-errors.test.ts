import { expect, it } from 'vitest'
import { entryError, sqsError } from './sqs-errors.ts'

const answer = (name: string, httpStatusCode: number): Error =>
  Object.assign(new Error('it quotes the payload'), { name, $metadata: { httpStatusCode } })

it.each([
  ['QueueDoesNotExist', 400, 'unknown-channel'],
  ['AWS.SimpleQueueService.NonExistentQueue', 400, 'unknown-channel'],
  ['QueueDeletedRecently', 400, 'refused'],
  ['RequestThrottled', 400, 'refused'],
  ['ThrottlingException', 400, 'refused'],
  ['AccessDeniedException', 400, 'access-denied'],
  ['ExpiredToken', 403, 'access-denied'],
  ['ReceiptHandleIsInvalid', 400, 'hold-lost'],
  ['InvalidMessageContents', 400, 'bad-message'],
  ['BatchRequestTooLong', 400, 'too-large'],
  ['NeverHeardOf', 400, 'refused'],
  ['InternalFailure', 500, 'unsure'],
])('%s with status %i is %s', (name, status, code) => {
  const error = sqsError(answer(name, status))
  expect(error.code).toBe(code)
  expect(error.message).toContain(name)
  expect(`${error.message}${error.cause}`).not.toContain('payload')
})

it.each([
  ['ECONNREFUSED', 'unreachable'],
  ['ENOTFOUND', 'unreachable'],
  ['ECONNRESET', 'unsure'],
  ['EPIPE', 'unsure'],
])('a connection that ends with %s is %s', (code, expected) => {
  expect(sqsError(Object.assign(new Error('x'), { code })).code).toBe(expected)
})

it('takes an answer that broke off after a good status for one that never came', () => {
  expect(sqsError(answer('Error', 200))).toMatchObject({ code: 'unsure' })
})

it('says what to do without credentials and without a region', () => {
  expect(sqsError(Object.assign(new Error('x'), { name: 'CredentialsProviderError' }))).toMatchObject({ code: 'access-denied' })
  expect(sqsError(new Error('Region is missing'))).toMatchObject({ code: 'bad-option' })
})

it('takes an entry of which nothing is known for unsure, and one that was our fault for refused', () => {
  expect(entryError(undefined).code).toBe('unsure')
  expect(entryError({ Code: 'InternalError', SenderFault: false }).code).toBe('unsure')
  expect(entryError({ Code: 'SomethingNew', SenderFault: true }).code).toBe('refused')
  expect(entryError({ Code: 'ReceiptHandleIsInvalid', SenderFault: true }).code).toBe('hold-lost')
})

it.each([
  ['Value AQEB for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.', 'hold-lost'],
  [
    'Value AQEB for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.',
    'hold-lost',
  ],
  ['Value x for parameter MessageGroupId is invalid.', 'refused'],
])('what Amazon has no name for is understood by its words: %s', (Message, code) => {
  expect(entryError({ Code: 'InvalidParameterValue', Message, SenderFault: true }).code).toBe(code)
})
