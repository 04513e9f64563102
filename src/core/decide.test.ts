import { describe, expect, it } from 'vitest'
import { beforeRun, decide } from './decide.ts'
import type { Asked, Decision, Graves, Outcome, Situation, Step } from './decision.ts'
import type { FailureClass } from './failure.ts'
import { plan } from './plan.ts'
import { resolvePolicy } from './policy-options.ts'

const both: Graves = { deadLetter: true, invalid: true }
const plainDelay = { delayed: { backoff: { kind: 'fixed', first: '5s', jitter: 0 } } } as const

/** Seed 001 as it stands there: MaxDeliveryCount 3, compared with the broker's own count. */
const seed001 = resolvePolicy({ maxDeliveryCount: 3, poison: 'deliveries', retry: plainDelay }, 'seed 001')
/** The same limit on our own turns, which is the default. */
const turns = resolvePolicy({ maxDeliveryCount: 3, retry: plainDelay }, 'turns')

const toDeadLetter = (reason: string): Decision => ({ kind: 'bury', grave: 'dead-letter', reason })
const succeeded: Outcome = { kind: 'succeeded' }
const failed = (itsClass: FailureClass): Outcome => ({ kind: 'failed', class: itsClass })
const asked = (what: Asked): Outcome => ({ kind: 'asked', for: what })

function delivered(deliveries: number): Situation {
  return { attempt: deliveries, runs: 1, deliveries }
}

/** One delivery from beginning to end, as seed 001 draws it: the poison check, then the run, then the routing. */
function process(deliveries: number, outcome: Outcome): { ran: boolean; decision: Decision } {
  const before = beforeRun(seed001, both, { ...delivered(deliveries), runs: 0 })
  if (before.kind !== 'run') return { ran: false, decision: before }
  return { ran: true, decision: decide(seed001, both, delivered(deliveries), outcome, 0) }
}

describe('seed 001 matrix', () => {
  const processEach = (counts: readonly number[], outcome: Outcome) => counts.map((deliveries) => process(deliveries, outcome))

  it('seed 001 matrix: Success, any DeliveryCount → Complete', () => {
    expect(processEach([1, 2, 3], succeeded)).toEqual(Array(3).fill({ ran: true, decision: { kind: 'complete' } }))
  })

  it('seed 001 matrix: Poison, DeliveryCount > Max → DeadLetter PoisonMessage', () => {
    expect(processEach([4, 5, 1000], succeeded)).toEqual(Array(3).fill({ ran: false, decision: toDeadLetter('PoisonMessage') }))
  })

  it('seed 001 matrix: Failure, any DeliveryCount, Non-Retryable → DeadLetter NonRetryableError', () => {
    const buried = { ran: true, decision: toDeadLetter('NonRetryableError') }
    expect(processEach([1, 2, 3], failed('permanent'))).toEqual(Array(3).fill(buried))
  })

  it('seed 001 matrix: Failure, DeliveryCount < Max, Retryable → Abandon for retry', () => {
    const abandoned = { ran: true, decision: { kind: 'retry', delay: 5000 } }
    expect(processEach([1, 2], failed('retryable'))).toEqual(Array(2).fill(abandoned))
  })

  it('seed 001 matrix: Failure, DeliveryCount >= Max, Retryable → DeadLetter MaxDeliveryCountExceeded', () => {
    expect(process(3, failed('retryable'))).toEqual({ ran: true, decision: toDeadLetter('MaxDeliveryCountExceeded') })
    expect(decide(seed001, both, delivered(4), failed('retryable'), 0)).toEqual(toDeadLetter('MaxDeliveryCountExceeded'))
  })
})

describe('seed 001 flow scenarios', () => {
  it('seed 001 scenario 1: Successful Processing completes the message', () => {
    expect(process(1, succeeded)).toEqual({ ran: true, decision: { kind: 'complete' } })
  })

  it('seed 001 scenario 2: Poison Message (Exceeded Delivery Count) is dead-lettered without a run', () => {
    expect(process(4, succeeded)).toEqual({ ran: false, decision: toDeadLetter('PoisonMessage') })
  })

  it('seed 001 scenario 3: Non-Retryable Error is dead-lettered at once', () => {
    expect(process(1, failed('permanent'))).toEqual({ ran: true, decision: toDeadLetter('NonRetryableError') })
  })

  it('seed 001 scenario 4: Retryable Error (First Attempt) is abandoned for retry', () => {
    expect(process(1, failed('retryable'))).toEqual({ ran: true, decision: { kind: 'retry', delay: 5000 } })
  })

  it('seed 001 scenario 5: Retryable Error (Max Retries) is dead-lettered', () => {
    expect(process(3, failed('retryable'))).toEqual({ ran: true, decision: toDeadLetter('MaxDeliveryCountExceeded') })
  })

  it('seed 001 manual dead-lettering: the reason of the handler is kept', () => {
    const outcome = asked({ kind: 'dead-letter', reason: 'CustomBusinessRule' })
    expect(process(1, outcome).decision).toEqual(toDeadLetter('CustomBusinessRule'))
  })
})

describe('seed 004 rejection tree', () => {
  const none: Graves = { deadLetter: false, invalid: false }
  const deliveryError = failed('permanent')
  const unacceptable = failed('invalid')
  const onlyAck = [{ kind: 'complete' }]
  const sendThenAck = (to: 'dead-letter' | 'invalid') => [{ kind: 'send', to, delay: 0 }, ...onlyAck]

  /** What is done to a broker that, as in the seed, can only send and acknowledge. */
  function reject(graves: Graves, outcome: Outcome): readonly Step[] {
    const capabilities = {
      retry: { by: 'native', inPlace: true, maxDelay: 0 },
      deadLetter: { native: false },
      move: 'none',
    } as const
    return plan(decide(turns, graves, delivered(1), outcome, 0), capabilities, { deadLettering: 'annotated', inOrder: false })
  }

  it('seed 004 tree: No producers configured → Ack source', () => {
    for (const outcome of [deliveryError, unacceptable, asked({ kind: 'dead-letter' })])
      expect(reject(none, outcome)).toEqual(onlyAck)
  })

  it('seed 004 tree: DeliveryError, dead-letter producer exists → send to DLQ, Ack source', () => {
    expect(reject(both, deliveryError)).toEqual(sendThenAck('dead-letter'))
  })

  it('seed 004 tree: DeliveryError, no dead-letter producer → Ack source', () => {
    expect(reject({ deadLetter: false, invalid: true }, deliveryError)).toEqual(onlyAck)
  })

  it('seed 004 tree: Unacceptable, invalid producer exists → send to invalid channel, Ack source', () => {
    expect(reject(both, unacceptable)).toEqual(sendThenAck('invalid'))
  })

  it('seed 004 tree: Unacceptable, only dead-letter producer exists → send to DLQ (fallback), Ack source', () => {
    expect(reject({ deadLetter: true, invalid: false }, unacceptable)).toEqual(sendThenAck('dead-letter'))
  })

  it('seed 004 tree: Unacceptable, no producer → Ack source', () => {
    expect(reject(none, unacceptable)).toEqual(onlyAck)
  })

  it('seed 004 tree: no reason given → send to DLQ, Ack source', () => {
    expect(reject(both, asked({ kind: 'dead-letter' }))).toEqual(sendThenAck('dead-letter'))
  })

  it('seed 004 tree: Unacceptable is the reason of an invalid message, wherever it goes', () => {
    for (const graves of [both, { deadLetter: true, invalid: false }, none]) {
      expect(decide(turns, graves, delivered(1), failed('invalid'), 0)).toMatchObject({ reason: 'Unacceptable' })
    }
  })
})

describe('decide', () => {
  it('runs again at once while immediate runs are left, then gives the turn back', () => {
    const policy = resolvePolicy({ retry: { immediate: 2, ...plainDelay } }, 'immediate')
    const kinds = [1, 2, 3].map((runs) => decide(policy, both, { attempt: 1, runs, deliveries: 1 }, failed('retryable'), 0).kind)
    expect(kinds).toEqual(['run', 'run', 'retry'])
  })

  it('waits by the backoff of the turn that failed, with jitter from chance', () => {
    const policy = resolvePolicy({ retry: { delayed: { retries: 5 } } }, 'backoff')
    const delays = [1, 2, 3].map((attempt) => decide(policy, both, { attempt, runs: 1, deliveries: 1 }, failed('retryable'), 0.5))
    expect(delays).toEqual([1100, 2200, 4400].map((delay) => ({ kind: 'retry', delay })))
  })

  it('waits as long as the error says, and runs nothing at once then', () => {
    const policy = resolvePolicy({ retry: { immediate: 5 } }, 'delay')
    const outcome: Outcome = { kind: 'failed', class: 'retryable', delay: 42 }
    expect(decide(policy, both, delivered(1), outcome, 0)).toEqual({ kind: 'retry', delay: 42 })
  })

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('falls back to the backoff for an asked delay of %d', (delay) => {
    expect(decide(turns, both, delivered(1), asked({ kind: 'retry', delay }), 0)).toEqual({ kind: 'retry', delay: 5000 })
  })

  it('keeps the reason that a permanent or invalid failure gives', () => {
    const custom = (itsClass: FailureClass): Outcome => ({ kind: 'failed', class: itsClass, reason: 'Declined' })
    expect(decide(turns, both, delivered(1), custom('permanent'), 0)).toEqual(toDeadLetter('Declined'))
    expect(decide(turns, both, delivered(1), custom('invalid'), 0)).toEqual({
      kind: 'bury',
      grave: 'invalid',
      reason: 'Declined',
    })
  })

  it('releases a cancelled run, however many turns it had', () => {
    expect([1, 3, 99].map((n) => decide(turns, both, delivered(n), failed('cancelled'), 0).kind)).toEqual(
      Array(3).fill('release'),
    )
  })

  it.each<[string, Asked, Decision]>([
    ['retry with a delay', { kind: 'retry', delay: 7 }, { kind: 'retry', delay: 7 }],
    ['retry without a delay', { kind: 'retry' }, { kind: 'retry', delay: 5000 }],
    ['dead-letter without a reason', { kind: 'dead-letter' }, toDeadLetter('NonRetryableError')],
    ['invalid without a reason', { kind: 'invalid' }, { kind: 'bury', grave: 'invalid', reason: 'Unacceptable' }],
    ['invalid with a reason', { kind: 'invalid', reason: 'TooOld' }, { kind: 'bury', grave: 'invalid', reason: 'TooOld' }],
    ['discard without a reason', { kind: 'discard' }, { kind: 'discard', reason: 'Discarded' }],
    ['discard with a reason', { kind: 'discard', reason: 'Stale' }, { kind: 'discard', reason: 'Stale' }],
  ])('does as asked: %s', (_, what, decision) => {
    expect(decide(turns, both, delivered(1), asked(what), 0)).toEqual(decision)
  })

  it('keeps an asked retry within the budget', () => {
    expect(decide(turns, both, delivered(3), asked({ kind: 'retry', delay: 7 }), 0)).toEqual(
      toDeadLetter('MaxDeliveryCountExceeded'),
    )
  })

  it('counts turns and not deliveries, unless told otherwise', () => {
    const situation: Situation = { attempt: 1, runs: 0, deliveries: 50 }
    expect(beforeRun(turns, both, situation)).toEqual({ kind: 'run' })
    expect(beforeRun(seed001, both, situation)).toEqual(toDeadLetter('PoisonMessage'))
  })

  it('ends by turns where copies make the broker count from one again', () => {
    expect(beforeRun(seed001, both, { attempt: 4, runs: 0, deliveries: 1 })).toEqual(toDeadLetter('PoisonMessage'))
  })

  it('buries nowhere where there is no dead-letter channel', () => {
    const none: Graves = { deadLetter: false, invalid: false }
    expect(beforeRun(turns, none, delivered(4))).toEqual({ kind: 'bury', grave: 'nowhere', reason: 'PoisonMessage' })
    expect(decide(turns, none, delivered(3), failed('retryable'), 0)).toMatchObject({ grave: 'nowhere' })
  })
})
