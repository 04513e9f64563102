import { RedriveError } from '../../core/errors.ts'
import { sanitiseError } from '../../core/sanitise.ts'
import type { ChannelScope } from '../scope.ts'
import { raise } from '../stats.ts'
import { createBatchFiles } from './batch-files.ts'
import { createDraining, type DrainingListener, within } from './draining.ts'
import { takeSlot } from './slot.ts'
import { encodeLetter, type SpooledLetter } from './spooled-letter.ts'

/**
 * Where letters wait on our own disk while their channel does not take them. A letter is durable here before its message is
 * completed, and is removed only when the channel has confirmed it. A crash around either makes a second copy with the same id.
 */
export interface Spool {
  /** Letters that wait. While there are any, new ones go behind them. */
  readonly depth: number
  /** Durable when it resolves. When it rejects the letter is not here, and its message must not be completed. */
  put(letter: SpooledLetter): Promise<void>
  /**
   * Sends what can be sent within `limit` milliseconds and lets go of the folder; the rest is for the next start. What is still under
   * way then is not waited for, but the folder stays ours until it has ended.
   */
  close(limit: number): Promise<void>
}

export interface SpoolSettings {
  readonly path: string
  readonly maxBytes: number
  /** Letters a second. */
  readonly drainRate: number
}

/** What the spool needs of a channel that is not made yet. */
export type SpoolScope = Omit<ChannelScope, 'spool'>

/** The texts of the file system quote nobody. */
const nothingToQuote = { body: null, headers: [] }

export async function openSpool(scope: SpoolScope, settings: SpoolSettings): Promise<Spool> {
  const { transport, platform, events, stats, logger } = scope
  const channel = scope.settings.name
  const slot = await takeSlot(platform.files, settings.path, transport.name, channel, logger)
  const batches = createBatchFiles(platform.files, slot.folder, settings.maxBytes, slot.entries)
  const draining = createDraining(batches, platform, settings.drainRate, listenerOf())
  let closed = false
  tellDepth()
  if (batches.depth > 0 || batches.aside > 0) {
    events.emit('spool-found', { channel, folder: slot.folder, depth: batches.depth, aside: batches.aside })
  }
  draining.proceed()

  return {
    get depth() {
      return batches.depth
    },
    async put(letter) {
      if (closed) throw new RedriveError('closed', 'the spool is closed')
      await batches.append(encodeLetter(letter))
      stats.spooled++
      tellDepth()
      draining.proceed()
    },
    async close(limit) {
      if (closed) return
      const deadline = platform.clock.monotonic() + limit
      await draining.stop(limit)
      closed = true
      await within(platform.clock, deadline - platform.clock.monotonic(), letGo())
    },
  }

  /** Whoever has the slot next counts on the files that it found and takes the same new names: nothing of ours may come after it. */
  async function letGo(): Promise<void> {
    await Promise.allSettled([draining.ended(), batches.written()])
    slot.unlock()
  }

  function tellDepth(): void {
    stats.spoolDepth = batches.depth
    stats.spoolAside = batches.aside
  }

  function listenerOf(): DrainingListener {
    return {
      send: ({ to, message, dedupId }) => transport.send({ name: to }, message, { dedupId }),
      sent({ event, grave, to, id }) {
        tellDepth()
        raise((event.replayed ? stats.replayed : stats.fresh).deadLettered, event.reason)
        raise(stats.byErrorType, event.errorType)
        events.emit(grave === 'invalid' ? 'invalid' : 'dead-lettered', { ...event, to, letter: id })
      },
      refused({ event, to, message }, error) {
        stats.publishFailures++
        const told = { to, error: sanitiseError(error, message), answer: 'spool' as const, held: stats.held }
        events.emit('dead-letter-failed', { ...event, ...told })
      },
      setAside(file, why) {
        tellDepth()
        events.emit('spool-set-aside', { channel, file, why })
      },
      failed(error) {
        stats.spoolFailures++
        events.emit('spool-failed', { channel, error: sanitiseError(error, nothingToQuote) })
      },
      empty() {
        tellDepth()
        events.emit('spool-drained', { channel })
      },
    }
  }
}
