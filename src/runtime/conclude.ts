import type { Decision } from '../core/decision.ts'
import type { FailureEvent } from './events.ts'
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
  const { settings, platform, events, stats } = scope

  function completed(turn: Turn): void {
    stats.completed++
    if (!events.heard('completed')) return
    events.emit('completed', { ...messageEvent(turn, scope), durationMs: platform.clock.monotonic() - turn.startedAt })
  }

  function retried(event: FailureEvent, delayMs: number): void {
    stats.retried++
    events.emit('retried', { ...event, delayMs })
  }

  function buried(turn: Turn, grave: 'dead-letter' | 'invalid', event: FailureEvent, letter: string): void {
    const tally = turn.replayed ? stats.replayed : stats.fresh
    raise(tally.deadLettered, event.reason)
    raise(stats.byErrorType, event.errorType)
    const to = graveAddress(grave, settings).name
    events.emit(grave === 'invalid' ? 'invalid' : 'dead-lettered', { ...event, to, letter })
  }

  return {
    completed,
    spooled(turn, to, letter) {
      if (!turn.failure) return
      events.emit('spooled', { ...failureEvent(turn, turn.failure, scope), to, letter, depth: stats.spoolDepth })
    },
    decided(turn, decision, letter) {
      if (decision.kind === 'complete') completed(turn)
      if (!turn.failure) return
      const event = failureEvent(turn, turn.failure, scope)
      if (decision.kind === 'retry') retried(event, decision.delay)
      if (decision.kind === 'discard') events.emit('discarded', { ...event, asked: true })
      if (decision.kind !== 'bury') return
      if (decision.grave === 'nowhere') events.emit('discarded', { ...event, asked: false })
      else buried(turn, decision.grave, event, letter ?? '')
    },
  }
}
