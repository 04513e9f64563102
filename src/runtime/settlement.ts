import type { Decision, Destination, Step } from '../core/decision.ts'
import { RedriveError } from '../core/errors.ts'
import { plan } from '../core/plan.ts'
import { sanitiseError } from '../core/sanitise.ts'
import type { Address, Settlement } from '../transports/seam.ts'
import { createConcluding } from './conclude.ts'
import { failedRunsHeader } from './failed-runs.ts'
import { createGiveBack, isOver } from './give-back.ts'
import { graveAddress } from './grave-address.ts'
import type { Holding, ReleaseReason } from './holding.ts'
import { copyId, letterIdOf } from './letter-identity.ts'
import { retryCopy, type WrittenLetter, writeLetter } from './letters.ts'
import { failureEvent, messageEvent } from './message-event.ts'
import type { ChannelScope } from './scope.ts'
import { failureOf, letterStep, type Work } from './settling-work.ts'
import { createSharedAnswers } from './shared-answers.ts'
import type { Turn } from './turn.ts'
import { createUnwrittenLetter } from './unwritten-letter.ts'

/**
 * Carries out what was decided, step by step. Nothing is completed before its copy is durable; when a step fails, the delivery
 * stays ours and the same step is tried again, so the source is never completed for a letter that was not written.
 */
export interface Settler {
  /** Tells, later, that the turn is settled. */
  carryOut(turn: Turn, decision: Decision): void
  /** Gives the turn back uncounted. Never rejects. */
  release(turn: Turn, why: ReleaseReason): Promise<void>
}

/**
 * Told when the turn is settled or no longer ours, and whether the message has left the channel for good. A callback: it is the path of every
 * message, and one promise less.
 */
export type SettlementEnd = (turn: Turn, isGone: boolean) => void

const gone = true
const comesBack = false

const completeSettlement: Settlement = { kind: 'complete' }
const releaseSettlement: Settlement = { kind: 'release' }

export function createSettler(scope: ChannelScope, holding: Holding, settled: SettlementEnd): Settler {
  const { settings, transport, events } = scope
  const preference = { deadLettering: settings.deadLettering, inOrder: scope.inOrder }
  const conclude = createConcluding(scope)
  const unwritten = createUnwrittenLetter(scope)
  const back = createGiveBack(scope, holding)
  const tellAnswer = createSharedAnswers(completionTaken, completionFailed)

  return { carryOut, release: back.release }

  function carryOut(turn: Turn, decision: Decision): void {
    turn.state = 'settling'
    if (decision.kind === 'complete') completeFast(turn)
    else slowly(turn, decision).then((isGone) => settled(turn, isGone))
  }

  function slowly(turn: Turn, decision: Decision): Promise<boolean> {
    return decision.kind === 'release' ? releaseFor(turn, 'shutdown') : carryOutPlan(turn, decision)
  }

  function carryOutPlan(turn: Turn, decision: Decision): Promise<boolean> {
    const work = prepare(turn, decision)
    if (decision.kind === 'bury' && decision.grave !== 'nowhere' && events.heard('burying')) {
      events.emit('burying', { ...failureEvent(turn, failureOf(turn), scope), grave: decision.grave })
    }
    const { tracing } = scope
    if (work.letter && turn.failure && tracing) {
      return tracing.deadLettering(turn, turn.failure, scope, () => persist(turn, work))
    }
    return persist(turn, work)
  }

  /** Nearly every message goes this way: one settlement, nothing to prepare. */
  function completeFast(turn: Turn): void {
    turn.isBeingSettled = true
    tellAnswer(turn, transport.settle(turn.delivery, completeSettlement))
  }

  function completionTaken(turn: Turn): void {
    if (!turn.fenced) conclude.completed(turn)
    settled(turn, gone)
  }

  function completionFailed(turn: Turn, error: unknown): void {
    turn.isBeingSettled = false
    if (isOver(turn, error)) settled(turn, lost(turn, error))
    else persistCompletion(turn).then((isGone) => settled(turn, isGone))
  }

  function persistCompletion(turn: Turn): Promise<boolean> {
    return persist(turn, { decision: { kind: 'complete' }, steps: [{ kind: 'complete' }], done: 0, letter: undefined })
  }

  function prepare(turn: Turn, decision: Decision): Work {
    const steps = plan(decision, transport.capabilities, preference)
    const isBurial = decision.kind === 'bury' && decision.grave !== 'nowhere'
    return { decision, steps, done: 0, letter: isBurial ? letterFor(turn, steps) : undefined }
  }

  /** Where the broker moves the message itself, nobody writes a letter: only its id is told. */
  function letterFor(turn: Turn, steps: readonly Step[]): WrittenLetter {
    const isWritten = steps.some(({ kind }) => kind === 'send' || kind === 'move')
    if (isWritten) return writeLetter(turn, failureOf(turn), scope)
    return { id: letterIdOf(turn, scope), message: turn.delivery.message }
  }

  /** Tries until everything is done, the turn is not ours any more, or holding on is given up. */
  async function persist(turn: Turn, work: Work): Promise<boolean> {
    let failed = await tryOnce(turn, work)
    if (failed && !isOver(turn, failed.error)) {
      let giveUp: ReleaseReason | undefined
      holding.begin(turn)
      for (let failures = 1; failed && !isOver(turn, failed.error) && !giveUp; failures++) {
        giveUp = await answerFailure(turn, work, failed.error, failures)
        if (!giveUp) failed = await tryOnce(turn, work)
      }
      holding.end(turn)
      if (giveUp) return releaseFor(turn, giveUp)
    }
    if (failed) return lost(turn, failed.error)
    if (!turn.fenced) concludeWork(turn, work)
    return work.decision.kind === 'retry' ? comesBack : gone
  }

  function concludeWork(turn: Turn, { decision, letter, spooledTo }: Work): void {
    if (spooledTo !== undefined && letter) conclude.spooled(turn, spooledTo, letter.id)
    else conclude.decided(turn, decision, letter?.id)
  }

  /** Gives what failed, or nothing when everything is done. */
  async function tryOnce(turn: Turn, work: Work): Promise<{ readonly error: unknown } | undefined> {
    turn.isBeingSettled = true
    try {
      if (unwritten.mustQueue(turn, work)) await unwritten.queue(turn, work)
      for (; work.done < work.steps.length; work.done++) {
        if (turn.fenced) throw new RedriveError('hold-lost', 'the message is no longer ours')
        await execute(turn, work.steps[work.done] as Step, work.letter)
      }
      return undefined
    } catch (error) {
      return { error }
    } finally {
      turn.isBeingSettled = false
    }
  }

  function execute(turn: Turn, step: Step, letter: WrittenLetter | undefined): Promise<unknown> {
    const { delivery } = turn
    switch (step.kind) {
      case 'complete':
        return transport.settle(delivery, completeSettlement)
      case 'release':
        return transport.settle(delivery, releaseSettlement)
      case 'retry':
        return transport.settle(delivery, retrySettlement(turn, step.delay))
      case 'reject':
        return transport.settle(delivery, { kind: 'reject', failure: failureOf(turn) })
      case 'move': {
        const message = letter?.message ?? retryCopy(turn, scope)
        return transport.settle(delivery, { kind: 'move', to: addressOf(step.to, turn), message, delay: step.delay })
      }
      case 'send': {
        const message = letter?.message ?? retryCopy(turn, scope)
        const options = {
          ...(transport.capabilities.deduplication > 0 && { dedupId: copyId(turn, letter, scope) }),
          ...(step.delay > 0 && { delay: step.delay }),
        }
        return transport.send(addressOf(step.to, turn), message, options)
      }
    }
  }

  function retrySettlement(turn: Turn, delay: number): Settlement {
    const headers = transport.capabilities.retry.headers ? failedRunsHeader(turn, scope) : []
    return headers.length === 0 ? { kind: 'retry', delay } : { kind: 'retry', delay, headers }
  }

  /** A copy goes back to where its original came from: a transport may know the group better than our settings do. */
  function addressOf(destination: Destination, { delivery }: Turn): Address {
    return destination === 'self' ? delivery.address : graveAddress(destination, settings)
  }

  async function answerFailure(turn: Turn, work: Work, error: unknown, failures: number): Promise<ReleaseReason | undefined> {
    const isOfLetter = letterStep(work) !== undefined
    if (!isOfLetter)
      events.emit('settle-failed', { ...messageEvent(turn, scope), error: sanitiseError(error, turn.delivery.message) })
    const isAnswered = isOfLetter && (await unwritten.answer(turn, work, error))
    return isAnswered ? undefined : holding.wait(turn, failures)
  }

  async function releaseFor(turn: Turn, why: ReleaseReason): Promise<boolean> {
    await back.release(turn, why)
    return comesBack
  }

  function lost(turn: Turn, error: unknown): boolean {
    back.lost(turn, error)
    return comesBack
  }
}
