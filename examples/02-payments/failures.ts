import { textHeader } from '../../src/core/headers.ts'
import type { Browsed, Transport } from '../../src/transports/seam.ts'

/** What an operator is told about a permanent failure: never the payload. */
export interface PermanentFailure {
  readonly channel: string
  readonly correlationId: string
  readonly reason: string
  readonly description: string
}

/**
 * Gives the failures of a channel that were not there at the last look. Only where looking leaves no trace: on a broker on which it
 * does (RabbitMQ), the letters are counted and nobody touches them, and what failed stands in the log of the worker.
 */
export function newFailures(transport: Transport, name: string): () => Promise<readonly PermanentFailure[]> {
  return transport.capabilities.browse === 'cursor' ? lookAtNew(transport, name) : async () => []
}

const pageSize = 100

/** It remembers the last page and not every letter there ever was. */
function lookAtNew(transport: Transport, name: string): () => Promise<readonly PermanentFailure[]> {
  let after: string | undefined
  let seen = new Set<string>()
  return async () => {
    const found: PermanentFailure[] = []
    for (;;) {
      const page = await transport.browse({ name }, { limit: pageSize, ...(after !== undefined && { after }) })
      for (const letter of page.messages) {
        const position = letter.position ?? ''
        if (!seen.has(position)) found.push(describe(name, letter))
        seen.add(position)
      }
      if (page.next === undefined) return found
      after = page.next
      seen = new Set()
    }
  }
}

function describe(channel: string, { message }: Browsed): PermanentFailure {
  return {
    channel,
    correlationId: message.correlationId ?? textHeader(message.headers, 'redrive-correlation-id') ?? '(none)',
    reason: textHeader(message.headers, 'redrive-reason') ?? '(unknown)',
    description: textHeader(message.headers, 'redrive-description') ?? '',
  }
}
