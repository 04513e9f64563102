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
  const { settings, platform } = scope
  const { clock } = platform
  return {
    channel: settings.name,
    logger: scope.logger,
    correlationId: (turn) => correlationIdOf(turn, scope),
    async extend(turn, ms) {
      const asked = Math.max(ms, settings.hold)
      turn.heldUntil = await scope.transport.extend(turn.delivery, asked)
      // The broker may give less than was asked for. A renewal long before the end would make the hold shorter again.
      const given = Math.max(settings.hold, Math.min(asked, turn.heldUntil - clock.now()))
      turn.renewAt = clock.monotonic() + given - settings.hold / 2
    },
    wantsSignal,
  }
}
