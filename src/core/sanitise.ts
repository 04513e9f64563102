import { holdsCardNumber, holdsIban } from './checked-numbers.ts'
import { cutToBytes, cutToLength } from './cut.ts'
import { RedriveError } from './errors.ts'
import { type Forbidden, quotes } from './quotes.ts'
import { forRecentTexts } from './recent-texts.ts'
import { type SensitivePattern, sensitiveShapes, sensitiveWords } from './sensitive-patterns.ts'
import { messageOf } from './thrown.ts'
import { visible } from './visible.ts'

/** Enough for any sentence; what follows is dumps. */
const textLimit = 1024
const stackLimitBytes = 8192
/** What stands further behind is neither emitted nor looked at, so that no text costs more than this one. */
const lookedAt = 1_048_576

const anyWord = anyOf(sensitiveWords, 'i')
const anyShape = anyOf(sensitiveShapes, '')

function anyOf(patterns: readonly SensitivePattern[], flags: string): RegExp {
  return new RegExp(patterns.map(({ pattern }) => pattern.source).join('|'), flags)
}

/**
 * The text of an error as it may leave the process. Text that holds a sensitive pattern, or quotes what is forbidden, is replaced
 * whole (seed 003); everything else is cut to a length that fits a header, and what cannot be seen is written as an escape.
 * Never throws, and takes time in proportion to the text and the forbidden bytes, whatever they hold.
 */
export function sanitise(text: string, errorType: string, forbidden: Forbidden, limit: number = textLimit): string {
  if (isSensitive(text) || quotes(text.slice(0, limit), forbidden)) return redacted(errorType)
  return cutToLength(shown(cutToLength(text, limit)), limit)
}

const shown = forRecentTexts(visible)

/** What a transport threw, as it may leave the process. */
export function sanitiseError(error: unknown, forbidden: Forbidden): string {
  return sanitise(messageOf(error), error instanceof RedriveError ? error.code : 'Error', forbidden)
}

function redacted(errorType: string): string {
  return `${safeErrorType(errorType)}: [REDACTED - potentially sensitive data]`
}

/** The name of an error class, if it is one. It becomes a metric's label and a header, so that nothing else may pass for it. */
export function safeErrorType(errorType: string): string {
  return isClassName(errorType) ? errorType : 'Error'
}

const isClassName = forRecentTexts((errorType) => /^[A-Za-z0-9_.$:]{1,128}$/.test(errorType) && !holdsSecretShape(errorType))

const isSensitive = forRecentTexts((text) => {
  const start = text.slice(0, lookedAt)
  return anyWord.test(start) || holdsSecretShape(start)
})

/** Whether the shape of a secret stands in a text, whatever words are around it. */
export function holdsSecretShape(text: string): boolean {
  return anyShape.test(text) || holdsCredentialsInUrl(text) || holdsCardNumber(text) || holdsIban(text)
}

/** A user, or a user and a password, in front of a host. Digits up to a slash are a port, and what follows them is a path. */
const userBeforeHost = /^(?:[^\s/?#@:]+|[^\s/?#@:]*:(?!\d+[/?#])[^\s@]+)@/

/** Cut at the schemes first: each piece is then looked at once, from its beginning, however many there are. */
function holdsCredentialsInUrl(text: string): boolean {
  if (!text.includes('://')) return false
  return text
    .split('://')
    .slice(1)
    .some((afterScheme) => userBeforeHost.test(afterScheme))
}

/** What an error says about itself, as it was thrown. */
export interface Thrown {
  readonly errorType: string
  readonly message: string
  readonly stack: string
}

/**
 * A stack trace as it may leave: the message sanitised, the frames kept. Frames hold the words of the code and not of the
 * message, so that they are not searched for quotes; but a line must look like a frame, stand behind the message and show no
 * secret, or it is left out.
 */
export function sanitiseStack(thrown: Thrown, forbidden: Forbidden): string {
  const errorType = safeErrorType(thrown.errorType)
  const text = sanitise(thrown.message, errorType, forbidden)
  const head = text === redacted(errorType) ? text : `${errorType}: ${text}`
  return cutToBytes([head, ...framesOf(thrown)].join('\n'), stackLimitBytes)
}

const frame = /^ {4}at (?:[\w.$<>#[\] ]{1,256} \()?(?:async )?(?:file:\/\/|node:|\/|[A-Za-z]:\\|<anonymous>|native).{0,1024}$/

function framesOf({ message, stack }: Thrown): readonly string[] {
  const at = stack.indexOf(message)
  const afterMessage = at < 0 ? stack : stack.slice(at + message.length)
  return afterMessage
    .slice(0, stackLimitBytes)
    .split('\n')
    .filter((line) => frame.test(line) && !holdsSecretShape(line))
    .map(visible)
}
