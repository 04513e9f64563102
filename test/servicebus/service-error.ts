/** An error as the service sends it: its AMQP condition, its text, and the status of an answer to a request. */
export class ServiceError extends Error {
  readonly condition: string
  readonly status: number

  constructor(condition: string, description: string, status = 400) {
    super(description)
    this.name = 'ServiceError'
    this.condition = condition
    this.status = status
  }
}

export const lockLost = (): ServiceError =>
  new ServiceError(
    'com.microsoft:message-lock-lost',
    'The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue.',
    410,
  )

export const sessionLockLost = (): ServiceError =>
  new ServiceError('com.microsoft:session-lock-lost', 'The session lock was lost. Request a new session receiver.', 410)

export const entityNotFound = (path: string): ServiceError =>
  new ServiceError('amqp:not-found', `The messaging entity '${path}' could not be found.`, 404)

export const messageNotFound = (): ServiceError =>
  new ServiceError(
    'com.microsoft:message-not-found',
    'Failed to lock one or more specified messages. The message does not exist.',
    404,
  )

export const notAllowed = (description: string): ServiceError => new ServiceError('amqp:not-allowed', description)
