import { createHash } from 'node:crypto'
import type { Message } from '../../src/core/message.ts'
import { type Logger, silentLogger } from '../../src/runtime/logger.ts'

/** The log of a service that chose `drop`: all that is left of a message whose letter could not be written. */
export interface DropLog {
  readonly logger: Logger
  /** Whether a line names this message, and its body by its hash. */
  tellsOf(message: Message): boolean
}

export function createDropLog(): DropLog {
  const lines = new Set<string>()
  const logger: Logger = {
    ...silentLogger,
    error(fields) {
      const { messageId, bodySha256 } = fields as { readonly messageId?: string; readonly bodySha256?: string }
      if (bodySha256 !== undefined) lines.add(`${messageId} ${bodySha256}`)
    },
    child: () => logger,
  }
  const hashOf = ({ body }: Message): string =>
    createHash('sha256')
      .update(body ?? '')
      .digest('hex')
  return { logger, tellsOf: (message) => lines.has(`${message.id} ${hashOf(message)}`) }
}
