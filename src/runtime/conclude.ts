import type { Decision } from '../core/decision.ts'
import type { Failure } from '../core/failure.ts'
import { graveAddress } from './grave-address.ts'
import { failureEvent, messageEvent } from './message-event.ts'
import type { ChannelScope } from './scope.ts'
import { raise } from './stats.ts'
import type { Turn } from './turn.ts'

/** Counts and tells what became of a message, once the broker has taken it. */
export interface Concluding {
  completed(turn: Turn): void
  decided(turn: Turn, decision: Decision, letter: string | undefined): void
  /** Its letter waits in the spool; that it was dead-lettered is told when the channel has it. */
  spooled(turn: Turn, to: string, letter: string): void
}

export function createConcluding(scope: ChannelScope): Concluding {
  const { settings, platform, events, stats, reporter } = scope

  function completed(turn: Turn): void {
    stats.completed++
    if (reporter && turn.replayed) reporter.succeeded(turn.delivery, settings)
    if (!events.heard('completed')) return
    events.emit('completed', { ...messageEvent(turn, scope), durationMs: platform.clock.monotonic() - turn.startedAt })
  }

  function retried(turn: Turn, failure: Failure, delayMs: number): void {
    stats.retried++
    if (events.heard('retried')) events.emit('retried', { ...failureEvent(turn, failure, scope), delayMs })
  }

  function buried(turn: Turn, failure: Failure, grave: 'dead-letter' | 'invalid', letter: string): void {
    const tally = turn.replayed ? stats.replayed : stats.fresh
    raise(tally.deadLettered, failure.reason)
    raise(stats.byErrorType, failure.errorType)
    const name = grave === 'invalid' ? 'invalid' : 'dead-lettered'
    if (!events.heard(name)) return
    events.emit(name, { ...failureEvent(turn, failure, scope), to: graveAddress(grave, settings).name, letter })
  }

  function discarded(turn: Turn, failure: Failure, asked: boolean): void {
    events.emit('discarded', { ...failureEvent(turn, failure, scope), asked })
  }

  return {
    completed,
    spooled(turn, to, letter) {
      if (!turn.failure) return
      events.emit('spooled', { ...failureEvent(turn, turn.failure, scope), to, letter, depth: stats.spoolDepth })
    },
    decided(turn, decision, letter) {
      if (decision.kind === 'complete') completed(turn)
      const { failure } = turn
      if (!failure) return
      if (decision.kind === 'retry') retried(turn, failure, decision.delay)
      if (decision.kind === 'discard') discarded(turn, failure, true)
      if (decision.kind !== 'bury') return
      if (decision.grave === 'nowhere') discarded(turn, failure, false)
      else buried(turn, failure, decision.grave, letter ?? '')
    },
  }
}
