import { sanitiseError } from '../core/sanitise.ts'
import { graveAddress } from './grave-address.ts'
import { bodyHash, copyId } from './letter-identity.ts'
import { failureEvent } from './message-event.ts'
import type { ChannelScope } from './scope.ts'
import { failureOf, letterStep, onlyComplete, type Work } from './settling-work.ts'
import { isHopeless } from './spool/draining.ts'
import type { Spool } from './spool/spool.ts'
import type { Turn } from './turn.ts'

/**
 * What becomes of a letter that its channel does not take, as `onDeadLetterFailure` says. Only a letter may be dropped or spooled, only where the
 * user chose that, and only once the log or the disk has it; everything else waits and is tried again.
 */
export interface UnwrittenLetter {
  /** Behind letters that wait, a new one waits as well: it must not overtake them, and the drain asks for all of them. */
  mustQueue(turn: Turn, work: Work): boolean
  queue(turn: Turn, work: Work): Promise<void>
  /** Tells whether the work can go on without its channel; else the message is held. */
  answer(turn: Turn, work: Work, error: unknown): Promise<boolean>
}

/** The spool did not take the letter; its message is held. */
class SpoolFailure extends Error {
  constructor(cause: unknown) {
    super('the spool failed', { cause })
  }
}

export function createUnwrittenLetter(scope: ChannelScope): UnwrittenLetter {
  const { settings, events, stats, spool } = scope

  return {
    mustQueue: (turn, work) => spool !== undefined && spool.depth > 0 && !turn.fenced && letterStep(work) !== undefined,
    async queue(turn, work) {
      if (spool) await putIntoSpool(turn, work, spool)
    },
    async answer(turn, work, error) {
      const step = letterStep(work)
      if (error instanceof SpoolFailure) tellSpoolFailed(turn, error.cause)
      else if (step) tellLetterFailed(turn, graveAddress(step.to, settings).name, error)
      return step !== undefined && dropOrSpool(turn, work, error)
    },
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
    onlyComplete(work)
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
    onlyComplete(work)
    work.letter = undefined
    work.decision = { kind: 'bury', grave: 'nowhere', reason: failureOf(turn).reason }
  }
}
