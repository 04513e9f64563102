import { cutToLength } from '../cut.ts'
import { headOf } from '../error-head.ts'
import type { Forbidden } from '../quotes.ts'
import { holdsSecretShape, safeErrorType, sanitise } from '../sanitise.ts'
import { sha256 } from '../sha256.ts'
import { visible } from '../visible.ts'
import type { Frame } from './frame.ts'
import { normalise, type Replaced } from './normalise.ts'
import { readStack } from './stack.ts'

/** What is known about a failure. Raw: nothing of it is hashed or shown before it has been sanitised. */
export interface Evidence {
  readonly reason?: string
  readonly errorType?: string
  readonly errorMessage?: string
  readonly stack?: string
}

/** What letters of one cause have in common. Everything in here may be shown. */
export interface Cause {
  /** `v1:` and 128 bits. Rules that group otherwise get another version, so that old and new are never taken for the same. */
  readonly fingerprint: string
  readonly title: string
  readonly parts: CauseParts
}

/** Why letters are grouped. */
export interface CauseParts {
  /** In which of the others they must agree. The text does not count for errors of the runtime at a known place. */
  readonly groupedBy: readonly ('type' | 'text' | 'place' | 'channel')[]
  /** The name of the error's class, without its package: of the innermost error, which the others only carried. */
  readonly type: string
  /** The text, without what differs from letter to letter. */
  readonly text: string
  /** What was taken out of the text, by kind. */
  readonly replaced: readonly Replaced[]
  /** The innermost function of the application itself. */
  readonly place?: { readonly function: string; readonly module: string }
  readonly channel: string
}

const version = 'v1'
const longestText = 400
const longestName = 128
const longestType = 1024
const longestTitle = 200

/**
 * Groups failures of the same cause: the same type of error, the same text but for what differs from letter to letter, thrown at the
 * same place of the application, on the same channel. Lines and columns are left out, so that a deploy which only moves code
 * changes nothing. Total, and in time proportional to what is given.
 *
 * The text is normalised before it is sanitised: a number of an order is then no quote of the payload any more, and the letters stay
 * apart by what else they say. What is hashed or shown has always been through the sanitiser.
 */
export function causeOf(evidence: Evidence, channel: string, forbidden: Forbidden): Cause {
  const thrown = innermostError(evidence)
  const type = simpleName(thrown.type)
  const place = thrown.frame && placeOf(thrown.frame)
  const { shown, pattern, replaced } = normalise(thrown.message)
  const textCounts = place === undefined || !runtimeErrors.has(type)
  const parts: CauseParts = {
    groupedBy: ['type', ...(textCounts ? (['text'] as const) : []), ...(place ? (['place'] as const) : []), 'channel'],
    type,
    text: sanitise(shown, type, forbidden, longestText),
    replaced,
    ...(place && { place }),
    channel: shortened(channel),
  }
  const text = textCounts ? sanitise(pattern, type, forbidden, longestText) : null
  return { fingerprint: fingerprintOf([type, text, place ?? null, parts.channel]), title: titleOf(parts), parts }
}

function fingerprintOf(key: readonly unknown[]): string {
  return `${version}:${sha256(JSON.stringify(key)).slice(0, 32)}`
}

interface Thrown {
  readonly type: string
  readonly message: string
  readonly frame?: Frame
}

/** The error that the others were caused by, with the nearest frame of the application: a cause often has none of its own. */
function innermostError({ reason, errorType, errorMessage, stack }: Evidence): Thrown {
  const { errors } = readStack(stack ?? '')
  const frame = errors
    .toReversed()
    .flatMap(({ frames }) => frames)
    .find(({ inApp }) => inApp)
  const head = headOf(firstLine(stack))
  const outermost = { type: errorType ?? head.type ?? reason ?? 'Error', message: errorMessage ?? head.message ?? '' }
  const innermost = errors.findLast(({ type }) => type !== undefined)
  const { type = outermost.type, message = '' } = errors.length > 1 ? (innermost ?? outermost) : outermost
  return { ...unnested({ type, message }), ...(frame && { frame }) }
}

function firstLine(stack: string | undefined): string {
  return stack?.slice(0, 2048).split('\n', 1)[0] ?? ''
}

/** How Spring writes a cause into the text of its wrapper. */
const nested = '; nested exception is '

function unnested(thrown: Thrown): Thrown {
  const at = thrown.message.lastIndexOf(nested)
  const { type, message = '' } = at < 0 ? {} : headOf(thrown.message.slice(at + nested.length))
  return type === undefined ? thrown : { type, message }
}

/** Packages, pointers, namespaces and type parameters are written by some and not by others. */
function simpleName(type: string): string {
  const [written = ''] = type.slice(0, longestType).split(/[`<[({]/, 1)
  const name = written
    .trim()
    .split(/[.:/\\+*]/)
    .pop()
  return safeErrorType(name || 'Error')
}

/**
 * Errors that a runtime raises itself. Their texts say only what happened, in words that change with the version and the language of the
 * runtime; what is broken is where it happened.
 */
const runtimeErrors: ReadonlySet<string> = new Set([
  'NullPointerException',
  'NullReferenceException',
  'ClassCastException',
  'InvalidCastException',
  'ArrayIndexOutOfBoundsException',
  'IndexOutOfBoundsException',
  'IndexOutOfRangeException',
  'ArgumentOutOfRangeException',
  'TypeError',
  'SyntaxError',
  'UnicodeDecodeError',
  'UnicodeEncodeError',
  'RecursionError',
  'StackOverflowError',
  'StackOverflowException',
  'TypeAssertionError',
  'boundsError',
])

/** Names of code, and nothing that could be a secret in their place. */
function placeOf(frame: Frame): { readonly function: string; readonly module: string } | undefined {
  const [name, module] = [codeName(frame.function), codeName(frame.module)]
  return name === '' && module === '' ? undefined : { function: name, module }
}

function codeName(name: string): string {
  const plain = shortened(name)
  return holdsSecretShape(plain) ? '' : plain
}

function shortened(name: string): string {
  return cutToLength(visible(cutToLength(name, longestName)), longestName)
}

function titleOf({ type, text, place }: CauseParts): string {
  const said = text.startsWith(`${type}: `) ? text : `${type}: ${text}`
  const where = place === undefined ? '' : ` in ${place.function === '' ? place.module : place.function}`
  return cutToLength(`${text === '' ? type : said}${where}`, longestTitle)
}
