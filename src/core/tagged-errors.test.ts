import { expect, it } from 'vitest'
import { InvalidMessageError, PermanentError, RetryableError } from './tagged-errors.ts'

it.each([
  ['RetryableError', new RetryableError('busy', { cause: 'x', delay: '30s' }), 'retryable', { delay: 30_000 }],
  ['PermanentError', new PermanentError('gone', { cause: 'x', reason: 'Closed' }), 'permanent', { reason: 'Closed' }],
  ['InvalidMessageError', new InvalidMessageError('bad', { cause: 'x', reason: 'TooOld' }), 'invalid', { reason: 'TooOld' }],
])('%s is an error with a name, a cause and a class', (name, error, itsClass, details) => {
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ name, cause: 'x', ...details })
  expect(Reflect.get(error, Symbol.for('redrive.class'))).toBe(itsClass)
})

it('a RetryableError refuses a delay that is none', () => {
  expect(() => new RetryableError('busy', { delay: 'soon' })).toThrow('RetryableError: delay is "soon"')
})
