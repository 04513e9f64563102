import type { FailureClass, Reason } from './failure.ts'
import { listOf, oneOf, text } from './option-checks.ts'
import { badOption, type Check, guarded, readInnerOptions, readOptions } from './options.ts'
import type { Policy } from './policy.ts'
import { forRecentTexts } from './recent-texts.ts'
import { isObject } from './wary.ts'
import { containsPhrase, normaliseText } from './word-match.ts'

/** What errors mean, as users write it. Their rules are asked before the built-in ones of the same kind. */
export interface ClassifyOptions {
  /** By class, subclasses included, or by name. The first rule that fits counts. */
  readonly types?: readonly TypeRule[]
  /** By `error.code`. */
  readonly codes?: Readonly<Record<string, FailureClass>>
  /** By HTTP status. */
  readonly statuses?: Readonly<Record<number, FailureClass>>
  /** Words in the message that make it permanent, beside seed 001's list: its "custom error patterns". Plain text. */
  readonly permanentPatterns?: readonly string[]
  /** Words in the message that make it retryable, even where seed 001's list says otherwise. */
  readonly retryablePatterns?: readonly string[]
}

export interface TypeRule {
  readonly type: ErrorType | string
  readonly class: FailureClass
  readonly reason?: Reason
}

export type ErrorType = abstract new (...args: never[]) => unknown

/** The rules as `classify` asks them: checked, normalised, in order. */
export interface ClassifyRules {
  readonly types: readonly TypeRule[]
  readonly codes: ReadonlyMap<string, FailureClass>
  readonly statuses: ReadonlyMap<string, FailureClass>
  /** What the words of a message say. */
  readonly classOfText: (message: string) => FailureClass | undefined
  readonly onTimeout: Policy['onTimeout']
}

interface PhraseRule {
  readonly phrase: string
  readonly class: FailureClass
}

/** Seed 001's list. */
const permanentByDefault = [
  'timeout',
  'exceeded maximum duration',
  'deserialization',
  'invalid format',
  'bad request',
  'unauthorized',
  'forbidden',
  'not found',
  'conflict',
]

export function resolveClassifyRules(
  options: ClassifyOptions | undefined,
  onTimeout: Policy['onTimeout'],
  where: string,
): ClassifyRules {
  const given = readOptions(options, ['types', 'codes', 'statuses', 'permanentPatterns', 'retryablePatterns'], where)
  const permanent = given.read('permanentPatterns', phrases, [])
  const retryable = given.read('retryablePatterns', phrases, [])
  return {
    types: given.read('types', listOf(typeRule, mostRules), []),
    codes: given.read('codes', classesBy(anyCode), new Map()),
    statuses: given.read('statuses', classesBy(httpStatus), new Map()),
    classOfText: firstPhraseIn([
      ...asRules(permanent, 'permanent'),
      ...asRules(retryable, 'retryable'),
      ...asRules(permanentByDefault, 'permanent'),
    ]),
    onTimeout,
  }
}

/** Every rule is asked for every failure. */
const mostRules = 1000
const longestPhrase = 200

const failureClass: Check<FailureClass> = oneOf(['retryable', 'permanent', 'invalid', 'cancelled'])
const anyCode = text(longestPhrase)
const httpStatus: Check<string> = (value, where) => {
  if (typeof value === 'string' && /^[1-5]\d\d$/.test(value)) return value
  throw badOption(`A key of ${where}`, value, 'an HTTP status from 100 to 599')
}
const phrases = listOf(text(longestPhrase), mostRules)

function asRules(words: readonly string[], itsClass: FailureClass): readonly PhraseRule[] {
  return words.map((word) => ({ phrase: normaliseText(word), class: itsClass }))
}

/** Up to a thousand phrases are looked for, and the next message often fails with the same words. */
function firstPhraseIn(rules: readonly PhraseRule[]): ClassifyRules['classOfText'] {
  return forRecentTexts((message) => {
    const text = normaliseText(message)
    return rules.find(({ phrase }) => containsPhrase(text, phrase))?.class
  })
}

const typeRule: Check<TypeRule> = (value, where) => {
  const given = readInnerOptions(value, ['type', 'class', 'reason'], where)
  const rule = { type: given.required('type', typeOrName), class: given.required('class', failureClass) }
  return given.has('reason') ? { ...rule, reason: given.required('reason', text(longestPhrase)) } : rule
}

const typeOrName: Check<TypeRule['type']> = (value, where) => {
  if (typeof value === 'string' && value !== '') return value
  if (isErrorType(value)) return value
  throw badOption(where, value, 'an error class or its name')
}

function isErrorType(value: unknown): value is ErrorType {
  return typeof value === 'function'
}

/** An object of classes, its keys checked too: a rule that can never fit is a mistake. */
function classesBy(key: Check<string>): Check<ReadonlyMap<string, FailureClass>> {
  return (value, where) => {
    if (!isObject(value)) throw badOption(where, value, 'an object of classes, such as { ECONNRESET: "retryable" }')
    const entries = guarded(where, () => Object.entries(value))
    if (entries.length > mostRules) throw badOption(where, value, `an object of at most ${mostRules} entries`)
    return new Map(entries.map(([name, itsClass]) => [key(name, where), failureClass(itsClass, `${where}.${name}`)]))
  }
}
