import { type Classification, classify } from '../core/classify.ts'
import { beforeRun, decide } from '../core/decide.ts'
import type { Asked, Decision, Outcome, Situation } from '../core/decision.ts'
import { hasCode } from '../core/errors.ts'
import { withFailedRun } from '../core/failed-runs.ts'
import { builtInReasons, type Failure, type FailureClass, type Reason } from '../core/failure.ts'
import { maxTurns } from '../core/policy.ts'
import type { LoopWatch } from '../core/ports.ts'
import type { Forbidden } from '../core/quotes.ts'
import { safeErrorType, sanitise, sanitiseStack } from '../core/sanitise.ts'
import { HandlerContext } from './context.ts'
import type { ContextHost } from './context-host.ts'
import { timeoutError } from './deadlines.ts'
import { failedRunsOf } from './failed-runs.ts'
import { correlationIdOf, failureEvent, messageEvent } from './message-event.ts'
import type { ChannelScope } from './scope.ts'
import { observe } from './stats.ts'
import type { Tracing } from './tracing.ts'
import type { Turn } from './turn.ts'

const complete: Decision = { kind: 'complete' }
const longestReason = 200
/** Ours quote nothing, even where a body happens to hold the same word. */
const ownReasons: ReadonlySet<Reason> = new Set([...builtInReasons, 'RetryableError', 'Discarded'])

/** Told what is to become of the message, or `undefined` when its result no longer counts. */
export type TurnEnd = (turn: Turn, decision: Decision | undefined) => void

/** What a turn is taken with, the same for all turns of a channel. */
export interface TurnTerms {
  readonly scope: ChannelScope
  readonly host: ContextHost
  readonly ended: TurnEnd
  /** Whom a run that failed waits for; `undefined` for nobody. */
  readonly companyOf: (turn: Turn) => Promise<void> | undefined
  /** While it waits, its slot is free. */
  readonly slots: (change: 1 | -1) => void
}

/**
 * One delivery handed to its handler: checked for poison, then run, and run again at once as often as the policy's immediate
 * retries allow. Never throws, and tells the end only after it has returned.
 *
 * With callbacks and not as an async function: it is the path of every message, and this way makes half of the garbage.
 */
export function takeTurn(turn: Turn, terms: TurnTerms): void {
  const poison = isDeliveredAgain(turn) ? findPoison(turn, terms.scope) : undefined
  if (poison) queueMicrotask(() => terms.ended(turn, poison))
  else run(turn, terms)
}

function run(turn: Turn, terms: TurnTerms): void {
  const context = beginRun(turn, terms.scope, terms.host)
  invoke(turn, context, terms.scope).then(
    () => afterSuccess(turn, context, terms),
    (thrown) => afterFailure(turn, context, thrown, terms),
  )
}

/** What a handler throws at once is a rejection like any other. */
function invoke(turn: Turn, context: HandlerContext, scope: ChannelScope): Promise<unknown> {
  try {
    return Promise.resolve(scope.tracing ? traced(turn, context, scope, scope.tracing) : turn.route.invoke(turn, context))
  } catch (thrown) {
    return Promise.reject(thrown)
  }
}

function traced(turn: Turn, context: HandlerContext, scope: ChannelScope, tracing: Tracing): unknown {
  return tracing.handling(turn, scope, () => turn.route.invoke(turn, context))
}

function afterSuccess(turn: Turn, context: HandlerContext, terms: TurnTerms): void {
  const { scope, ended } = terms
  endRun(turn, scope)
  if (turn.over || turn.isPutOff) ended(turn, undefined)
  // What it asked for counts, even where it caught what asking throws.
  else if (context.asked) runAgainOrEnd(turn, context, undefined, terms)
  else ended(turn, completed(turn, scope))
}

function afterFailure(turn: Turn, context: HandlerContext, thrown: unknown, terms: TurnTerms): void {
  endRun(turn, terms.scope)
  const company = isLastRun(turn) ? terms.companyOf(turn) : undefined
  if (company) void inCompany(company, turn, context, thrown, terms)
  else answerFailure(turn, context, thrown, terms)
}

/** As if its handler had taken a moment longer: whatever happens to the turn meanwhile may happen to a running one as well. */
async function inCompany(
  company: Promise<void>,
  turn: Turn,
  context: HandlerContext,
  thrown: unknown,
  terms: TurnTerms,
): Promise<void> {
  terms.slots(-1)
  await company
  terms.slots(1)
  answerFailure(turn, context, thrown, terms)
}

/** Another one at once would need its slot. */
function isLastRun({ runs, route }: Turn): boolean {
  return runs > route.policy.retry.immediate
}

function answerFailure(turn: Turn, context: HandlerContext, thrown: unknown, terms: TurnTerms): void {
  if (turn.over || turn.isPutOff) terms.ended(turn, undefined)
  else runAgainOrEnd(turn, context, thrown, terms)
}

function runAgainOrEnd(turn: Turn, context: HandlerContext, thrown: unknown, terms: TurnTerms): void {
  const decision = failed(turn, context, thrown, terms.scope)
  if (decision.kind === 'run' && !isOutage(terms.scope)) run(turn, terms)
  else terms.ended(turn, decision)
}

/** While the breaker is open, another run at once would only fail again. */
function isOutage({ breaker, platform }: ChannelScope): boolean {
  return breaker?.pardons(platform.clock.monotonic()) ?? false
}

/** A handler that was still running when it was given up on: as if it had run into its timeout just now. */
export function givenUp(turn: Turn, scope: ChannelScope): Decision {
  turn.timedOut = true
  // It still runs, so it gets no immediate retry that would overlap with itself in one turn.
  turn.runs = Math.max(turn.runs, turn.route.policy.retry.immediate + 1)
  return failed(turn, turn.context, undefined, scope)
}

/** Nothing can be poison the first time, and nearly everything is delivered once. */
function isDeliveredAgain({ attempt, delivery }: Turn): boolean {
  return attempt > 1 || delivery.deliveries > 1
}

function beginRun(turn: Turn, scope: ChannelScope, host: ContextHost): HandlerContext {
  const { immediate } = turn.route.policy.retry
  const context = new HandlerContext(turn, host, (turn.attempt - 1) * (1 + immediate) + turn.runs)
  turn.context = context
  turn.runs++
  turn.timedOut = false
  turn.runStartedAt = scope.platform.clock.monotonic()
  if (turn.runs === 1) turn.startedAt = turn.runStartedAt
  turn.route.deadlines.watch(turn)
  scope.stats.running++
  if (scope.watch) beginWatch(turn, scope.watch, scope)
  return context
}

function beginWatch({ delivery: { message } }: Turn, watch: LoopWatch, { settings }: ChannelScope): void {
  watch.began({ channel: settings.name, messageId: message.id, correlationId: message.correlationId })
}

function endRun(turn: Turn, scope: ChannelScope): void {
  const { durations } = turn.replayed ? scope.stats.replayed : scope.stats.fresh
  turn.route.deadlines.unwatch(turn)
  scope.stats.running--
  scope.watch?.ended()
  if (!turn.isPutOff) observe(durations, scope.platform.clock.monotonic() - turn.runStartedAt)
}

function completed(turn: Turn, scope: ChannelScope): Decision {
  if (turn.timedOut) {
    const durationMs = scope.platform.clock.monotonic() - turn.runStartedAt
    scope.events.emit('late', { ...messageEvent(turn, scope), durationMs })
  }
  return complete
}

function situationOf(turn: Turn): Situation {
  return { attempt: turn.attempt, runs: turn.runs, deliveries: turn.delivery.deliveries }
}

function failed(turn: Turn, context: HandlerContext | undefined, thrown: unknown, scope: ChannelScope): Decision {
  const { settings, platform } = scope
  const { policy } = turn.route
  const error = turn.timedOut ? timeoutError(policy.timeout, thrown) : thrown
  const classification = classifyRun(turn, context, error)
  const outcome = outcomeOf(context, error, classification, settings.unknownType)
  const decision = decide(policy, scope.graves, situationOf(turn), outcome, platform.random())
  if (decision.kind === 'release') return decision
  const reason = safeReason(reasonOf(decision, outcome), turn)
  turn.failure = describe(turn, context, error, classification, reason, scope)
  turn.failedRuns = withFailedRun(failedRunsOf(turn), { ...turn.failure, attempt: turn.attempt })
  turn.forbidden = undefined
  scope.stats.failedRuns++
  correlationIdOf(turn, scope)
  if (scope.events.heard('failed')) {
    scope.events.emit('failed', { ...failureEvent(turn, turn.failure, scope), run: turn.runs })
  }
  return decision
}

function findPoison(turn: Turn, scope: ChannelScope): Decision | undefined {
  const decision = beforeRun(turn.route.policy, scope.graves, situationOf(turn))
  if (decision.kind === 'run') return undefined
  const limit = maxTurns(turn.route.policy)
  correlationIdOf(turn, scope)
  turn.failure = {
    reason: 'PoisonMessage',
    description: `Message exceeded maximum delivery count of ${limit}`,
    errorType: 'PoisonMessage',
    class: 'permanent',
    at: scope.platform.clock.now(),
    attempts: turn.attempt - 1,
    deliveries: turn.delivery.deliveries,
  }
  return decision
}

function classifyRun(turn: Turn, context: HandlerContext | undefined, error: unknown): Classification {
  const classification = classify(error, turn.route.rules)
  if (context?.asked && !context.askedTooLate) return { ...classification, class: classOfAsked[context.asked.kind] }
  // Whatever a handler says after we stopped it says nothing about the message.
  if (turn.cancelled) return { ...classification, class: 'cancelled' }
  // Only we know when we stop. An error that a rule takes for it would otherwise come back at once, uncounted, for ever.
  return classification.class === 'cancelled' ? { ...classification, class: 'retryable' } : classification
}

/** What a failure is when the handler itself said what is to happen. */
const classOfAsked: Readonly<Record<Asked['kind'], FailureClass>> = {
  retry: 'retryable',
  'dead-letter': 'permanent',
  invalid: 'invalid',
  discard: 'permanent',
}

function outcomeOf(
  context: HandlerContext | undefined,
  error: unknown,
  classification: Classification,
  unknownType: 'invalid' | 'dead-letter' | 'discard',
): Outcome {
  if (context?.asked && !context.askedTooLate) return { kind: 'asked', for: context.asked }
  if (unknownType !== 'invalid' && hasCode(error, 'unknown-type')) {
    return { kind: 'asked', for: { kind: unknownType, reason: 'Unacceptable' } }
  }
  const { reason, delay } = classification
  const details = { ...(reason !== undefined && { reason }), ...(delay !== undefined && { delay }) }
  return { kind: 'failed', class: classification.class, ...details }
}

function reasonOf(decision: Decision, outcome: Outcome): Reason {
  if (decision.kind === 'bury' || decision.kind === 'discard') return decision.reason
  return outcome.kind === 'failed' && outcome.class === 'permanent' ? 'NonRetryableError' : 'RetryableError'
}

function forbiddenIn(turn: Turn): Forbidden {
  return turn.forbidden ?? turn.delivery.message
}

/** A reason becomes a label and a header, and users make theirs from whatever is at hand. */
function safeReason(reason: Reason, turn: Turn): Reason {
  return ownReasons.has(reason) ? reason : sanitise(String(reason), 'Reason', forbiddenIn(turn), longestReason)
}

function describe(
  turn: Turn,
  context: HandlerContext | undefined,
  error: unknown,
  classification: Classification,
  reason: Reason,
  scope: ChannelScope,
): Failure {
  const asked = context?.asked !== undefined
  const errorType = asked ? 'HandlerOutcome' : safeErrorType(classification.errorType)
  const text = asked ? (context?.description ?? `The handler asked for: ${context?.asked?.kind}`) : classification.message
  const stack = scope.settings.stackTraces && error instanceof Error ? error.stack : undefined
  const forbidden = forbiddenIn(turn)
  return {
    reason,
    description: sanitise(text, errorType, forbidden),
    errorType,
    class: classification.class,
    at: scope.platform.clock.now(),
    attempts: turn.attempt,
    deliveries: turn.delivery.deliveries,
    ...(stack !== undefined && { stack: sanitiseStack({ errorType, message: text, stack }, forbidden) }),
  }
}
