import { delayFor } from './backoff.ts'
import type { Asked, Decision, Grave, Graves, Outcome, Situation } from './decision.ts'
import type { Reason } from './failure.ts'
import { maxTurns, type Policy } from './policy.ts'

const run: Decision = { kind: 'run' }
const complete: Decision = { kind: 'complete' }
const release: Decision = { kind: 'release' }

/** Before a run: a message that has had all its turns and is here again harmed whoever ran it, and is not run once more. */
export function beforeRun(policy: Policy, graves: Graves, situation: Situation): Decision {
  return turnsUsed(policy, situation) > maxTurns(policy) ? bury(deadLetterGrave(graves), 'PoisonMessage') : run
}

/** After a run: what is to become of the delivery. `random` is a number in [0, 1). */
export function decide(policy: Policy, graves: Graves, situation: Situation, outcome: Outcome, random: number): Decision {
  switch (outcome.kind) {
    case 'succeeded':
      return complete
    case 'failed':
      return afterFailure(policy, graves, situation, outcome, random)
    case 'asked':
      return asAsked(policy, graves, situation, outcome.for, random)
  }
}

function afterFailure(
  policy: Policy,
  graves: Graves,
  situation: Situation,
  failure: Extract<Outcome, { kind: 'failed' }>,
  random: number,
): Decision {
  switch (failure.class) {
    case 'cancelled':
      return release
    case 'permanent':
      return bury(deadLetterGrave(graves), failure.reason || 'NonRetryableError')
    case 'invalid':
      return bury(invalidGrave(graves), failure.reason || 'Unacceptable')
    case 'retryable':
      return mayRunAtOnce(policy, situation, failure.delay) ? run : laterOrNever(policy, graves, situation, failure.delay, random)
  }
}

/** An error that says when to try again says that now is too early. */
function mayRunAtOnce(policy: Policy, situation: Situation, delay: number | undefined): boolean {
  return delay === undefined && situation.runs <= policy.retry.immediate
}

function asAsked(policy: Policy, graves: Graves, situation: Situation, asked: Asked, random: number): Decision {
  switch (asked.kind) {
    case 'retry':
      return laterOrNever(policy, graves, situation, asked.delay, random)
    case 'dead-letter':
      // Without a reason of its own it is what the handler says by asking: no retry would help (seed 004 sends it here too).
      return bury(deadLetterGrave(graves), asked.reason || 'NonRetryableError')
    case 'invalid':
      return bury(invalidGrave(graves), asked.reason || 'Unacceptable')
    case 'discard':
      return { kind: 'discard', reason: asked.reason || 'Discarded' }
  }
}

/** Another turn through the broker while the budget lasts. */
function laterOrNever(policy: Policy, graves: Graves, situation: Situation, delay: number | undefined, random: number): Decision {
  if (turnsUsed(policy, situation) >= maxTurns(policy)) return bury(deadLetterGrave(graves), 'MaxDeliveryCountExceeded')
  return { kind: 'retry', delay: isDelay(delay) ? delay : delayFor(policy.retry.delayed.backoff, situation.attempt, random) }
}

/** A handler computes its delays, and a mistake there must not become a delay that no broker takes. */
function isDelay(delay: number | undefined): delay is number {
  return delay !== undefined && Number.isFinite(delay) && delay >= 0
}

/**
 * What is compared with the limit. By `deliveries` it is the broker's count, as in seed 001; but where a retry is a copy the
 * broker counts from one again, and only our own turns keep the message from coming back for ever.
 */
function turnsUsed(policy: Policy, { attempt, deliveries }: Situation): number {
  return policy.poison === 'deliveries' ? Math.max(attempt, deliveries) : attempt
}

function deadLetterGrave(graves: Graves): Grave {
  return graves.deadLetter ? 'dead-letter' : 'nowhere'
}

function invalidGrave(graves: Graves): Grave {
  return graves.invalid ? 'invalid' : deadLetterGrave(graves)
}

function bury(grave: Grave, reason: Reason): Decision {
  return { kind: 'bury', grave, reason }
}
