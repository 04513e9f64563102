import { describe, expect, it } from 'vitest'
import { classify } from './classify.ts'
import { type ClassifyOptions, resolveClassifyRules } from './classify-rules.ts'
import { RedriveError } from './errors.ts'
import { classTag, InvalidMessageError, PermanentError, RetryableError } from './tagged-errors.ts'

const defaults = resolveClassifyRules(undefined, 'permanent', 'consumer')

function classifyBy(options: ClassifyOptions, error: unknown): ReturnType<typeof classify> {
  return classify(error, resolveClassifyRules(options, 'permanent', 'consumer'))
}

function errorWith(properties: object, message = 'failed'): Error {
  return Object.assign(new Error(message), properties)
}

class PaymentDeclined extends Error {}
class CardExpired extends PaymentDeclined {}

describe('seed 001 classification', () => {
  it.each([
    ['timeout', 'Request timeout'],
    ['exceeded maximum duration', 'Agent exceeded maximum duration of 60s'],
    ['deserialization', 'Deserialization failed'],
    ['invalid format', 'INVALID FORMAT: amount'],
    ['bad request', 'The server said: Bad Request'],
    ['unauthorized', '401 Unauthorized'],
    ['forbidden', 'Forbidden.'],
    ['not found', 'Customer not\n found'],
    ['conflict', '(conflict)'],
  ])('seed 001 non-retryable pattern: %s', (_, message) => {
    expect(classify(new Error(message), defaults)).toMatchObject({ class: 'permanent', by: 'text' })
  })

  it.each([
    ['network errors', errorWith({ code: 'ECONNRESET' })],
    ['temporary service unavailability', errorWith({ status: 503 })],
    ['transient database errors', errorWith({ code: '40P01' })],
    ['rate limiting (HTTP 429)', errorWith({ status: 429 })],
    ['internal server errors (HTTP 500)', errorWith({ status: 500 })],
  ])('seed 001 retryable errors: %s', (_, error) => {
    expect(classify(error, defaults).class).toBe('retryable')
  })

  it('seed 001 custom error patterns: the user adds words to the list', () => {
    const options = { permanentPatterns: ['duplicate invoice', 'invalid customer id'] }
    expect(classifyBy(options, new Error('Duplicate  invoice 4711'))).toMatchObject({ class: 'permanent', by: 'text' })
    expect(classifyBy(options, new Error('Request timeout')).class).toBe('permanent')
  })

  it('takes anything else for retryable', () => {
    expect(classify(new Error('disk on fire'), defaults)).toEqual({
      class: 'retryable',
      errorType: 'Error',
      message: 'disk on fire',
      by: 'default',
    })
  })
})

describe('classify by text', () => {
  it.each(['timeouts', 'no_timeout', 'Timeoutübung', 'conflicting', 'notfound'])(
    'matches whole words only, so not %s',
    (message) => {
      expect(classify(new Error(message), defaults).by).toBe('default')
    },
  )

  it('takes patterns for plain text and never for regular expressions', () => {
    expect(classifyBy({ permanentPatterns: ['a.c (x|y)*'] }, new Error('abc x')).by).toBe('default')
    expect(classifyBy({ permanentPatterns: ['a.c (x|y)*'] }, new Error('see A.C (X|Y)* there')).by).toBe('text')
  })

  it('lets a retryable pattern of the user win over the default list', () => {
    expect(classifyBy({ retryablePatterns: ['gateway timeout'] }, new Error('504 Gateway Timeout')).class).toBe('retryable')
  })

  it('looks at the message only, and not at the stack or at other properties', () => {
    expect(classify(errorWith({ stack: 'timeout', detail: 'not found' }), defaults).by).toBe('default')
  })

  it('looks at a thrown string', () => {
    expect(classify('not found', defaults)).toMatchObject({ class: 'permanent', message: 'not found', errorType: 'Error' })
  })
})

describe('classify by tag', () => {
  it.each([
    [new RetryableError('not found'), 'retryable'],
    [new PermanentError('x'), 'permanent'],
    [new InvalidMessageError('x'), 'invalid'],
    [errorWith({ [classTag]: 'cancelled' }), 'cancelled'],
    [{ [Symbol.for('redrive.class')]: 'permanent' }, 'permanent'],
  ])('%o is %s', (error, itsClass) => {
    expect(classify(error, defaults)).toMatchObject({ class: itsClass, by: 'tag' })
  })

  it('keeps the reason and the delay that the error gives', () => {
    expect(classify(new PermanentError('x', { reason: 'CustomBusinessRule' }), defaults).reason).toBe('CustomBusinessRule')
    expect(classify(new RetryableError('x', { delay: '30s' }), defaults).delay).toBe(30_000)
  })

  it.each([Number.NaN, -1, '5s', Number.POSITIVE_INFINITY, null])('ignores %o as a delay', (delay) => {
    expect(classify(errorWith({ [classTag]: 'retryable', delay }), defaults)).not.toHaveProperty('delay')
  })

  it('ignores a tag that is no class', () => {
    expect(classify(errorWith({ [classTag]: 'poisonous' }), defaults).by).toBe('default')
  })
})

describe("classify of Redrive's own errors", () => {
  it.each(['permanent', 'retryable'] as const)('takes a handler timeout as the policy says: %s', (onTimeout) => {
    const error = new RedriveError('handler-timeout', 'The handler did not finish within 30s.')
    expect(classify(error, resolveClassifyRules(undefined, onTimeout, 'consumer')).class).toBe(onTimeout)
  })

  it.each([
    ['invalid-message', 'invalid', 'tag'],
    ['unknown-type', 'invalid', 'tag'],
    ['too-large', 'permanent', 'code'],
    ['unreachable', 'retryable', 'code'],
  ] as const)('%s is %s', (code, itsClass, by) => {
    expect(classify(new RedriveError(code, 'connect timeout'), defaults)).toMatchObject({ class: itsClass, by })
  })

  it("does not take somebody else's code for its own", () => {
    expect(classify(errorWith({ code: 'invalid-message' }), defaults).by).toBe('default')
  })
})

describe('classify by type', () => {
  const byClass: ClassifyOptions = { types: [{ type: PaymentDeclined, class: 'permanent', reason: 'Declined' }] }

  it('knows a class and its subclasses', () => {
    expect(classifyBy(byClass, new CardExpired('x'))).toMatchObject({
      class: 'permanent',
      reason: 'Declined',
      by: 'type',
      errorType: 'CardExpired',
    })
  })

  it('knows a name, given or of the constructor', () => {
    const byName: ClassifyOptions = { types: [{ type: 'ThrottlingException', class: 'retryable' }] }
    expect(classifyBy(byName, errorWith({ name: 'ThrottlingException' }, 'not found'))).toMatchObject({
      class: 'retryable',
      by: 'type',
    })
    expect(classifyBy({ types: [{ type: 'CardExpired', class: 'invalid' }] }, new CardExpired('x')).class).toBe('invalid')
  })
})

describe('classify by code and status', () => {
  it.each(['ETIMEDOUT', 'ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])(
    '%s is retryable',
    (code) => {
      expect(classify(errorWith({ code }, 'timeout'), defaults)).toMatchObject({ class: 'retryable', by: 'code' })
    },
  )

  it('asks the codes of the user first', () => {
    expect(classifyBy({ codes: { ENOTFOUND: 'permanent', 14: 'retryable' } }, errorWith({ code: 'ENOTFOUND' })).class).toBe(
      'permanent',
    )
    expect(classifyBy({ codes: { 14: 'invalid' } }, errorWith({ code: 14 })).class).toBe('invalid')
  })

  it.each([
    [400, 'permanent'],
    [401, 'permanent'],
    [403, 'permanent'],
    [404, 'permanent'],
    [408, 'retryable'],
    [409, 'permanent'],
    [418, 'permanent'],
    [422, 'permanent'],
    [425, 'retryable'],
    [429, 'retryable'],
    [500, 'retryable'],
    [599, 'retryable'],
  ])('status %d is %s, wherever the error carries it', (status, itsClass) => {
    for (const where of [{ status }, { statusCode: status }, { response: { status } }, { response: { statusCode: status } }]) {
      expect(classify(errorWith(where), defaults)).toMatchObject({ class: itsClass, by: 'status' })
    }
  })

  it.each([200, 302, 600, Number.NaN])('status %d says nothing', (status) => {
    expect(classify(errorWith({ status }), defaults).by).toBe('default')
  })

  it('asks the statuses of the user first', () => {
    expect(classifyBy({ statuses: { 409: 'retryable' } }, errorWith({ status: 409 })).class).toBe('retryable')
  })
})

describe('classify by the strongest evidence', () => {
  const options: ClassifyOptions = { types: [{ type: 'Odd', class: 'invalid' }] }
  const tag = { [classTag]: 'cancelled' }
  const type = { name: 'Odd' }
  const code = { code: 'ECONNRESET' }
  const status = { status: 404 }

  it.each([
    ['tag', 'type', 'cancelled', { ...tag, ...type, ...code, ...status }],
    ['type', 'code', 'invalid', { ...type, ...code, ...status }],
    ['code', 'status', 'retryable', { ...code, ...status }],
    ['status', 'text', 'permanent', status],
  ])('%s wins over %s', (by, _, itsClass, properties) => {
    expect(classifyBy({ ...options, retryablePatterns: ['failed'] }, errorWith(properties))).toMatchObject({
      by,
      class: itsClass,
    })
  })
})

describe('classify through causes', () => {
  it('finds stronger evidence in a cause before weaker evidence outside', () => {
    const error = new Error('Customer not found', { cause: errorWith({ code: 'ECONNRESET' }) })
    expect(classify(error, defaults)).toMatchObject({ class: 'retryable', by: 'code', message: 'Customer not found' })
  })

  it('takes the outer of two errors with evidence of the same kind', () => {
    expect(classify(new PermanentError('x', { cause: new RetryableError('y') }), defaults).class).toBe('permanent')
    expect(classify(new RetryableError('x', { cause: new PermanentError('y') }), defaults).class).toBe('retryable')
  })

  it('looks into the errors of an AggregateError', () => {
    const error = new AggregateError([new Error('x'), errorWith({ status: 404 })], 'all failed')
    expect(classify(error, defaults)).toMatchObject({ class: 'permanent', by: 'status' })
  })

  it('looks at sixteen errors and no further', () => {
    expect(classify(nested(14, new PermanentError('x')), defaults).class).toBe('permanent')
    expect(classify(nested(1000, new PermanentError('x')), defaults).by).toBe('default')
  })

  it('comes to an end when causes go in a circle', () => {
    const [first, second] = [errorWith({}), errorWith({})]
    Object.assign(first, { cause: second })
    Object.assign(second, { cause: first })
    expect(classify(first, defaults).by).toBe('default')
  })
})

function nested(depth: number, innermost: Error): Error {
  let error = innermost
  for (let level = 0; level < depth; level++) error = new Error('wrapped', { cause: error })
  return error
}
