import { type ErrorCode, RedriveError } from '../../core/errors.ts'

/** An error as it travels between threads. */
export interface WireError {
  readonly code: ErrorCode
  readonly message: string
}

export type Result<Value = unknown> = { readonly value: Value } | { readonly error: WireError }

/** Somebody who waits for an answer from a thread. */
export interface Pending<Value> {
  resolve(value: Value): void
  reject(error: RedriveError): void
}

export function finish<Value>(pending: Pending<Value>, result: Result<Value> | undefined): void {
  if (result && 'value' in result) pending.resolve(result.value)
  else pending.reject(thrown(result?.error ?? { code: 'unsure', message: 'The database gave no answer.' }))
}

export function thrown({ code, message }: WireError): RedriveError {
  return new RedriveError(code, message)
}

/** It never reached the thread, so nothing was done; what the thread is busy with is not touched by that. */
export function notSent(cause: unknown): RedriveError {
  return new RedriveError('unreachable', 'The request could not be handed to the thread of the database; nothing was done.', {
    cause,
  })
}
