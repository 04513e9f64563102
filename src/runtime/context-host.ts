import type { Logger } from './logger.ts'
import { correlationIdOf } from './message-event.ts'
import type { ChannelScope } from './scope.ts'
import type { Turn } from './turn.ts'

/** What the context needs from the channel that made it. */
export interface ContextHost {
  readonly channel: string
  readonly logger: Logger
  correlationId(turn: Turn): string
  extend(turn: Turn, ms: number): Promise<void>
  /** Its handler wants to know when it must stop. */
  wantsSignal(turn: Turn): void
}

export function createContextHost(scope: ChannelScope, wantsSignal: (turn: Turn) => void): ContextHost {
  return {
    channel: scope.settings.name,
    logger: scope.logger,
    correlationId: (turn) => correlationIdOf(turn, scope),
    async extend(turn, ms) {
      turn.heldUntil = Math.max(turn.heldUntil, await scope.transport.extend(turn.delivery, ms))
    },
    wantsSignal,
  }
}
