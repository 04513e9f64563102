import type { Clock } from '../../src/core/ports.ts'
import { RetryableError } from '../../src/core/tagged-errors.ts'
import type { BatchOutcome } from '../../src/runtime/batch/answer.ts'
import type { BatchHandler, BatchMessage } from '../../src/runtime/batch/batch-message.ts'
import type { Context } from '../../src/runtime/context.ts'
import { beginCall, type Call, type Mortal, type Script } from './script.ts'
import type { Weather } from './weather.ts'

export interface SimBatches {
  readonly size: number
  readonly wait: number
  /** How the handler tells of a message that failed. */
  readonly manners: 'tells' | 'throws' | 'keeps silent'
}

const manners: readonly SimBatches['manners'][] = ['tells', 'throws', 'keeps silent']

/**
 * A quarter of all simulations consume batches. Made from what is drawn anyway, so that all others stay as they were.
 */
export function batchesIn({ messages, prefetch, storm }: Weather): SimBatches | undefined {
  if (messages % 4 !== 0) return undefined
  const size = Math.min(prefetch, 2 + ((storm / 1000) % 12))
  return { size, wait: storm % 3000 === 0 ? 0 : 300, manners: manners[prefetch % 3] ?? 'tells' }
}

/** Plays the parts of its messages one after the other, as a handler would that writes rows. It stops with a key that has failed. */
export function batchHandler(script: Script, process: Mortal, { manners }: SimBatches, clock: Clock): BatchHandler<unknown> {
  return async (messages, { signal }) => {
    const call = beginCall(clock)
    try {
      return await playAll(messages, signal, call)
    } finally {
      call.endedAt = clock.monotonic()
    }
  }

  async function playAll(messages: readonly BatchMessage<unknown>[], signal: AbortSignal, call: Call): Promise<BatchOutcome[]> {
    const outcomes: BatchOutcome[] = []
    const failedKeys = new Set<unknown>()
    for (const message of messages) {
      const { key } = message.context.message
      if (key !== undefined && failedKeys.has(key)) continue
      const error = await play(message, signal, call)
      if (error === undefined) outcomes.push(message.done())
      else if (manners === 'throws') throw error
      else {
        failedKeys.add(key)
        if (manners === 'tells') outcomes.push(message.failed(error))
      }
    }
    return outcomes
  }

  async function play({ context }: BatchMessage<unknown>, signal: AbortSignal, call: Call): Promise<unknown> {
    try {
      await script.handle({ message: context.message, signal } as Context, process, call)
      return undefined
    } catch (error) {
      return error ?? new RetryableError('failed')
    }
  }
}
