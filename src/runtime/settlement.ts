import type { Decision, Destination, Step } from '../core/decision.ts'
import { hasCode, RedriveError } from '../core/errors.ts'
import type { Failure } from '../core/failure.ts'
import { plan } from '../core/plan.ts'
import { sanitiseError } from '../core/sanitise.ts'
import type { Address, Settlement } from '../transports/seam.ts'
import { createConcluding } from './conclude.ts'
import { graveAddress } from './grave-address.ts'
import type { Holding, ReleaseReason } from './holding.ts'
import { bodyHash, copyId } from './letter-identity.ts'
import { retryCopy, type WrittenLetter, writeLetter } from './letters.ts'
import { failureEvent, messageEvent } from './message-event.ts'
import type { ChannelScope } from './scope.ts'
import { isHopeless } from './spool/draining.ts'
import type { Spool } from './spool/spool.ts'
import { looksBegunWhenReleased } from './suspect-copies.ts'
import type { Turn } from './turn.ts'

/**
 * Carries out what was decided, step by step. Nothing is completed before its copy is durable; when a step fails, the delivery
 * stays ours and the same step is tried again, so the source is never completed for a letter that was not written.
 */
export interface Settler {
  /** Resolves when the turn is settled or no longer ours; tells whether the message has left the channel for good. Never rejects. */
  carryOut(turn: Turn, decision: Decision): Promise<boolean>
  /** Gives the turn back uncounted. Never rejects. */
  release(turn: Turn, why: ReleaseReason): Promise<void>
}

/** What `carryOut` tells. */
const gone = true
const comesBack = false

/** What is still to be done for a turn. */
interface Work {
  decision: Decision
  steps: readonly Step[]
  /** Steps that are done: a letter that was confirmed is not sent again because completing failed. */
  done: number
  letter: WrittenLetter | undefined
  /** The channel that the letter is for, once it waits in the spool. */
  spooledTo?: string
}

/** The spool did not take the letter; its message is held. */
class SpoolFailure extends Error {
  constructor(cause: unknown) {
    super('the spool failed', { cause })
  }
}

const completeSettlement: Settlement = { kind: 'complete' }
const releaseSettlement: Settlement = { kind: 'release' }

export function createSettler(scope: ChannelScope, holding: Holding): Settler {
  const { settings, transport, events, stats, spool } = scope
  const preference = { deadLettering: settings.deadLettering, inOrder: scope.inOrder }
  const conclude = createConcluding(scope)

  return { carryOut, release }

  function carryOut(turn: Turn, decision: Decision): Promise<boolean> {
    turn.state = 'settling'
    if (decision.kind === 'complete') return completeFast(turn)
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
  function completeFast(turn: Turn): Promise<boolean> {
    return transport.settle(turn.delivery, completeSettlement).then(
      () => {
        if (!turn.fenced) conclude.completed(turn)
        return gone
      },
      (error) => (isOver(turn, error) ? lost(turn, error) : persistCompletion(turn)),
    )
  }

  function persistCompletion(turn: Turn): Promise<boolean> {
    return persist(turn, { decision: { kind: 'complete' }, steps: [{ kind: 'complete' }], done: 0, letter: undefined })
  }

  function prepare(turn: Turn, decision: Decision): Work {
    const steps = plan(decision, transport.capabilities, preference)
    const isBurial = decision.kind === 'bury' && decision.grave !== 'nowhere'
    return { decision, steps, done: 0, letter: isBurial ? writeLetter(turn, failureOf(turn), scope) : undefined }
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
    try {
      // Behind letters that wait, a new one waits as well: it must not overtake them, and the drain asks for all of them.
      if (spool && spool.depth > 0 && !turn.fenced && letterStep(work)) await putIntoSpool(turn, work, spool)
      for (; work.done < work.steps.length; work.done++) {
        if (turn.fenced) throw new RedriveError('hold-lost', 'the message is no longer ours')
        await execute(turn, work.steps[work.done] as Step, work.letter)
      }
      return undefined
    } catch (error) {
      return { error }
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
        return transport.settle(delivery, { kind: 'retry', delay: step.delay })
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

  /** A copy goes back to where its original came from: a transport may know the group better than our settings do. */
  function addressOf(destination: Destination, { delivery }: Turn): Address {
    return destination === 'self' ? delivery.address : graveAddress(destination, settings)
  }

  /**
   * Only a letter may be dropped or spooled, only where the user chose that, and only once the log or the disk has it; everything
   * else waits and is tried again.
   */
  async function answerFailure(turn: Turn, work: Work, error: unknown, failures: number): Promise<ReleaseReason | undefined> {
    const step = letterStep(work)
    if (error instanceof SpoolFailure) tellSpoolFailed(turn, error.cause)
    else if (step) tellLetterFailed(turn, graveAddress(step.to, settings).name, error)
    else events.emit('settle-failed', { ...messageEvent(turn, scope), error: sanitiseError(error, turn.delivery.message) })
    const isAnswered = step !== undefined && (await dropOrSpool(turn, work, error))
    return isAnswered ? undefined : holding.wait(turn, failures)
  }

  async function dropOrSpool(turn: Turn, work: Work, error: unknown): Promise<boolean> {
    if (settings.onDeadLetterFailure === 'drop' && logDropped(turn)) {
      dropLetter(turn, work)
      return true
    }
    // A letter that its channel will never take would stop all others in the spool; one that the disk did not take is held.
    if (!spool || error instanceof SpoolFailure || isHopeless(error)) return false
    try {
      await putIntoSpool(turn, work, spool)
      return true
    } catch (failure) {
      tellSpoolFailed(turn, (failure as SpoolFailure).cause)
      return false
    }
  }

  /** From here on the letter is safe without its channel, and only completing is left. */
  async function putIntoSpool(turn: Turn, work: Work, to: Spool): Promise<void> {
    const { letter, decision } = work
    const step = letterStep(work)
    if (!letter || !step || decision.kind !== 'bury' || decision.grave === 'nowhere') return
    const { name } = graveAddress(step.to, settings)
    const event = failureEvent(turn, failureOf(turn), scope)
    const { id, message } = letter
    try {
      await to.put({ id, grave: decision.grave, to: name, dedupId: copyId(turn, letter, scope), event, message })
    } catch (cause) {
      throw new SpoolFailure(cause)
    }
    work.steps = [{ kind: 'complete' }]
    work.done = 0
    work.spooledTo = name
  }

  function tellSpoolFailed(turn: Turn, error: unknown): void {
    stats.spoolFailures++
    events.emit('spool-failed', { channel: settings.name, error: sanitiseError(error, turn.delivery.message) })
  }

  function tellLetterFailed(turn: Turn, to: string, error: unknown): void {
    stats.publishFailures++
    events.emit('dead-letter-failed', {
      ...failureEvent(turn, failureOf(turn), scope),
      to,
      error: sanitiseError(error, turn.delivery.message),
      answer: settings.onDeadLetterFailure,
      held: stats.held,
    })
  }

  /** The log line is all that is left of a dropped message: tells whether the logger took it. */
  function logDropped(turn: Turn): boolean {
    const { message } = turn.delivery
    const body = settings.logBody && message.body ? { body: Buffer.from(message.body).toString('base64') } : {}
    try {
      scope.logger.error(
        { ...failureEvent(turn, failureOf(turn), scope), bodySha256: bodyHash(message), ...body },
        'Dropped a message whose letter could not be written, as onDeadLetterFailure: "drop" asks',
      )
      return true
    } catch {
      return false
    }
  }

  function dropLetter(turn: Turn, work: Work): void {
    work.steps = [{ kind: 'complete' }]
    work.done = 0
    work.letter = undefined
    work.decision = { kind: 'bury', grave: 'nowhere', reason: failureOf(turn).reason }
  }

  async function releaseFor(turn: Turn, why: ReleaseReason): Promise<boolean> {
    await release(turn, why)
    return comesBack
  }

  async function release(turn: Turn, why: ReleaseReason): Promise<void> {
    try {
      await giveBack(turn)
    } catch (error) {
      if (why === 'lane-waits' && (await triesAgain(turn, error))) return release(turn, why)
      // It comes back by itself when its hold ends; only later, and perhaps as a suspect.
      lost(turn, error)
      return
    }
    stats.released++
    events.emit('released', { ...messageEvent(turn, scope), why })
  }

  /** What waits behind it in its lane must not run before it, and so cannot until it is back for certain. */
  async function triesAgain(turn: Turn, error: unknown): Promise<boolean> {
    return !isOver(turn, error) && (await holding.wait(turn, 1)) === undefined && !turn.fenced
  }

  async function giveBack({ delivery }: Turn): Promise<void> {
    if (!looksBegunWhenReleased(delivery, transport.capabilities)) return transport.settle(delivery, releaseSettlement)
    const isCopied = await transport.send(delivery.address, delivery.message).then(
      () => true,
      () => false,
    )
    // Without a copy it goes back as it is and counts: that is less than to keep it where nobody runs it.
    return transport.settle(delivery, isCopied ? completeSettlement : releaseSettlement)
  }

  function lost(turn: Turn, error: unknown): boolean {
    if (turn.fenced) return comesBack
    if (hasCode(error, 'hold-lost')) events.emit('hold-lost', messageEvent(turn, scope))
    else events.emit('settle-failed', { ...messageEvent(turn, scope), error: sanitiseError(error, turn.delivery.message) })
    return comesBack
  }
}

function isOver(turn: Turn, error: unknown): boolean {
  return turn.fenced || hasCode(error, 'hold-lost') || hasCode(error, 'closed')
}

/** The step that writes a letter, while it is not done. */
function letterStep({ letter, steps, done }: Work): Extract<Step, { kind: 'send' | 'move' }> | undefined {
  const step = steps[done]
  return letter && (step?.kind === 'send' || step?.kind === 'move') ? step : undefined
}

function failureOf(turn: Turn): Failure {
  if (turn.failure) return turn.failure
  throw new RedriveError('bad-message', 'a letter needs a failure')
}
