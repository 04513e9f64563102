import { type ErrorCode, RedriveError } from '../core/errors.ts'
import { Declined } from './output/confirm.ts'

/** How a command ends. */
export const exitCodes = { done: 0, findings: 1, failed: 2, nothing: 3, conflict: 4, declined: 5, interrupted: 130 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** What stands about them in docs/cli.md. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'It was done, and nothing is wrong.',
  findings:
    'It was done, and something is wrong: a check found something fatal, missing or worth a warning; letters of a replay came back, were refused or are unknown, or it stopped by itself; a consumer is not heard of any more; a row of the audit trail does not fit; a copy of a vault differs; some lines of an import were refused.',
  failed:
    'It could not be done: a mistake in the arguments or in a file, or a broker, a vault or a server that cannot be reached or refuses.',
  nothing: 'There is nothing: no such letter, cause or replay, a filter that finds none, or nothing left of what was selected.',
  conflict: 'Somebody else was quicker, or what was asked for does not fit the state of things. Nothing was changed.',
  declined: 'The question was answered with no, or there was nobody to ask. Nothing was changed.',
  interrupted: 'A replay was interrupted with Ctrl-C. It is paused.',
}

const ofErrors: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  'not-found': exitCodes.nothing,
  'nothing-to-do': exitCodes.nothing,
  conflict: exitCodes.conflict,
  'seal-broken': exitCodes.conflict,
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Declined) return exitCodes.declined
  return (error instanceof RedriveError ? ofErrors[error.code] : undefined) ?? exitCodes.failed
}
