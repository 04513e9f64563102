import type { Failure } from '../../src/core/failure.ts'

/** What a message is dead-lettered for. */
export const failure: Failure = {
  reason: 'CustomBusinessRule',
  description: 'The order has no lines.',
  errorType: 'OrderError',
  class: 'permanent',
  at: 0,
  attempts: 1,
  deliveries: 1,
}
