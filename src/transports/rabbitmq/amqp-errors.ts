import { RedriveError } from '../../core/errors.ts'

/** What the broker's reply codes mean here. */
const notFound = 404
const accessRefused = 403
const preconditionFailed = 406

export function replyCode(error: unknown): number | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'number' ? code : undefined
}

export function isNotFound(error: unknown): boolean {
  return replyCode(error) === notFound
}

export function isAccessRefused(error: unknown): boolean {
  return replyCode(error) === accessRefused
}

export function isPreconditionFailed(error: unknown): boolean {
  return replyCode(error) === preconditionFailed
}

/** A failed operation on a channel of the broker. `about` names what was asked, such as `queue "orders"`. */
export function operationError(cause: unknown, about: string): RedriveError {
  if (cause instanceof RedriveError) return cause
  switch (replyCode(cause)) {
    case notFound:
      return new RedriveError('unknown-channel', `There is no ${about} on the broker.`, { cause })
    case accessRefused:
      return new RedriveError('access-denied', `The broker does not let this user use ${about}.`, { cause })
    default:
      return new RedriveError('unreachable', `The connection to RabbitMQ was lost while it was asked about ${about}.`, { cause })
  }
}

export interface ConnectFailure {
  readonly error: RedriveError
  /** Waiting does not help: the configuration has to change. */
  readonly final: boolean
}

/** Why a connection could not be made, as a person would say it. `host` has no password in it. */
export function connectFailure(cause: unknown, host: string, vhost: string): ConnectFailure {
  if (cause instanceof RedriveError) return { error: cause, final: true }
  const text = cause instanceof Error ? cause.message : String(cause)
  const code = String((cause as { code?: unknown }).code ?? '')
  const fail = (what: 'access-denied' | 'unreachable', message: string, final: boolean): ConnectFailure => ({
    error: new RedriveError(what, message, { cause }),
    final,
  })
  if (text.includes('ACCESS_REFUSED')) return fail('access-denied', `RabbitMQ at ${host} refused the user or the password.`, true)
  // The library hides the reason for which the broker closes here; the virtual host is all that was asked for.
  if (text.includes('ConnectionOpenOk'))
    return fail('access-denied', `RabbitMQ at ${host} has no virtual host "${vhost}", or this user may not use it.`, true)
  if (code.startsWith('ERR_SSL') || code === 'EPROTO')
    return fail('unreachable', `${host} does not speak TLS; use amqp:// or the port for amqps://.`, true)
  if (code.startsWith('ERR_TLS') || /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return fail('unreachable', `The certificate of ${host} is not trusted (${code}); give its authority as tls.ca.`, true)
  // Version 3 resets the connection where version 4 ends it.
  if (text.includes('during opening handshake') || code === 'ECONNRESET')
    return fail('unreachable', `${host} closed the connection at once; perhaps it expects TLS: use amqps://.`, false)
  return fail('unreachable', `RabbitMQ at ${host} cannot be reached (${code || text}).`, false)
}
