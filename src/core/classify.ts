import type { ClassifyRules, TypeRule } from './classify-rules.ts'
import type { FailureClass, Reason } from './failure.ts'
import { classOfOwnCode, classOfStatus, retryableCodes } from './known-errors.ts'
import { classTag } from './tagged-errors.ts'
import { errorChain, errorTypeOf, hasName, messageOf, shortText } from './thrown.ts'
import { isInstance, warilyRead } from './wary.ts'

/** What a failure is, and by which evidence. The text is raw: it must be sanitised before it leaves the process. */
export interface Classification extends Verdict {
  /** Of the error that was thrown, not of its causes; both are cut to a length that is safe to work with. */
  readonly errorType: string
  readonly message: string
  readonly by: Evidence
}

export type Evidence = 'tag' | 'type' | 'code' | 'status' | 'text' | 'default'

interface Verdict {
  readonly class: FailureClass
  readonly reason?: Reason
  /** When to try again, in milliseconds, where the error says so. */
  readonly delay?: number
}

/** Looks at one error of the chain for one kind of evidence. */
type Witness = (error: unknown, rules: ClassifyRules) => Verdict | undefined

/** The strongest evidence first: what a person said about this very error, then what programs say, and words at last. */
const witnesses: readonly { readonly by: Evidence; readonly asks: Witness }[] = [
  { by: 'tag', asks: byTag },
  { by: 'type', asks: byType },
  { by: 'code', asks: byCode },
  { by: 'status', asks: byStatus },
  { by: 'text', asks: byText },
]

/**
 * Never throws, whatever was thrown. Each kind of evidence is looked for in the whole chain, outside in, before a weaker kind
 * counts: a wrapped ECONNRESET is retryable whatever the wrapper's text says, and of two errors with a code the outer one
 * decides, because whoever wrapped the inner one knew it. Without any evidence a failure is retryable, as in seed 001.
 */
export function classify(thrown: unknown, rules: ClassifyRules): Classification {
  const [errorType, message] = [errorTypeOf(thrown), messageOf(thrown)]
  const chain = errorChain(thrown)
  for (const { by, asks } of witnesses) {
    for (const error of chain) {
      const verdict = asks(error, rules)
      if (verdict) return { ...verdict, errorType, message, by }
    }
  }
  return { class: 'retryable', errorType, message, by: 'default' }
}

function byTag(error: unknown, rules: ClassifyRules): Verdict | undefined {
  const tag = warilyRead(error, classTag)
  if (isFailureClass(tag)) return withDetails(tag, error)
  return byRuntime(error, rules)
}

/** What the runtime itself throws about a message is as explicit as a tag. */
function byRuntime(error: unknown, rules: ClassifyRules): Verdict | undefined {
  switch (ownCode(error)) {
    case 'handler-timeout':
      return { class: rules.onTimeout }
    case 'invalid-message':
    case 'unknown-type':
      return { class: 'invalid' }
    default:
      return undefined
  }
}

function withDetails(tag: FailureClass, error: unknown): Verdict {
  const reason = shortText(warilyRead(error, 'reason'))
  const delay = warilyRead(error, 'delay')
  return {
    class: tag,
    ...(reason === undefined ? {} : { reason }),
    ...(typeof delay === 'number' && Number.isFinite(delay) && delay >= 0 ? { delay } : {}),
  }
}

function byType(error: unknown, rules: ClassifyRules): Verdict | undefined {
  const rule = rules.types.length === 0 ? undefined : rules.types.find(({ type }) => isOfType(error, type))
  if (!rule) return undefined
  return rule.reason === undefined ? { class: rule.class } : { class: rule.class, reason: rule.reason }
}

function isOfType(error: unknown, type: TypeRule['type']): boolean {
  return typeof type === 'string' ? hasName(error, type) : isInstance(error, type)
}

function byCode(error: unknown, rules: ClassifyRules): Verdict | undefined {
  const code = warilyRead(error, 'code')
  if (typeof code !== 'string' && typeof code !== 'number') return undefined
  return asVerdict(rules.codes.get(String(code)) ?? knownCode(error, String(code)))
}

function knownCode(error: unknown, code: string): FailureClass | undefined {
  if (retryableCodes.has(code)) return 'retryable'
  return ownClasses.get(ownCode(error))
}

const ownClasses: ReadonlyMap<unknown, FailureClass> = new Map(Object.entries(classOfOwnCode))

/** By name and not by class, so that two copies of this package in one process agree. */
function ownCode(error: unknown): unknown {
  return hasName(error, 'RedriveError') ? warilyRead(error, 'code') : undefined
}

function byStatus(error: unknown, rules: ClassifyRules): Verdict | undefined {
  const status = statusOf(error) ?? statusOf(warilyRead(error, 'response'))
  return status === undefined ? undefined : asVerdict(rules.statuses.get(String(status)) ?? classOfStatus(status))
}

function statusOf(value: unknown): number | undefined {
  const status = warilyRead(value, 'status')
  if (typeof status === 'number') return status
  const statusCode = warilyRead(value, 'statusCode')
  return typeof statusCode === 'number' ? statusCode : undefined
}

function byText(error: unknown, rules: ClassifyRules): Verdict | undefined {
  return asVerdict(rules.classOfText(messageOf(error)))
}

function asVerdict(found: FailureClass | undefined): Verdict | undefined {
  return found === undefined ? undefined : { class: found }
}

function isFailureClass(value: unknown): value is FailureClass {
  return value === 'retryable' || value === 'permanent' || value === 'invalid' || value === 'cancelled'
}
