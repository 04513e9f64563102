import { RedriveError } from '../core/errors.ts'
import type { Browsed } from '../transports/seam.ts'
import type { Arrival } from '../vault/arrival.ts'
import { arrivalOf } from './arrival-of.ts'
import type { CollectOptions, Collector } from './collect.ts'
import { ingestAll } from './ingest-all.ts'
import { pauseUnlessStopped } from './keep-trying.ts'
import { readingAgain } from './reading-again.ts'
import { nameOf, type Source } from './source.ts'

const page = 200
const lookEvery = 1000

/**
 * Copies a source into the vault and leaves it as it is. How far it has been read is kept with the letters of that page, so that a control
 * plane that dies reads one page once more, and knows it. Only where looking leaves no trace.
 */
export function follow(source: Source, options: CollectOptions): Collector {
  const { vault, clock, draw } = options
  const stopping = new AbortController()
  const running = readingAgain(source, stopping.signal, options, followFrom)

  async function followFrom(goesWell: (isAtEnd: boolean) => void): Promise<void> {
    const { transport, address } = source
    if (transport.capabilities.browse !== 'cursor') {
      throw new RedriveError(
        'unsupported',
        `${transport.name} cannot be looked at without leaving a trace: collect or watch ${address.name}.`,
      )
    }
    const { id, position } = await vault.write('registerSource', nameOf(source))
    // Empty: from the beginning.
    let after = position || undefined
    // That it was read at all is known from then on, also where there is less than a page: until then its letters are on the broker alone.
    let isRead = position !== null
    let seen = new Set<string>()
    while (!stopping.signal.aborted) {
      await options.room?.()
      const { messages, next } = await transport.browse(address, { limit: page, ...(after !== undefined && { after }) })
      const fresh = messages.filter(({ position: at }) => at === undefined || !seen.has(at))
      if (fresh.length > 0 || next !== undefined || !isRead) await keep(id, fresh, next ?? (isRead ? undefined : ''))
      isRead = true
      goesWell(next === undefined)
      if (next === undefined) {
        // The last page is read again when more may have come: what of it is known is left out.
        seen = new Set(messages.flatMap(({ position: at }) => at ?? []))
        await pauseUnlessStopped(lookEvery, stopping.signal, clock)
      } else {
        after = next
        seen = new Set()
      }
    }
  }

  async function keep(id: number, fresh: readonly Browsed[], position: string | undefined): Promise<void> {
    const now = clock.now()
    const arrivals: Arrival[] = fresh.map((browsed) => arrivalOf(foundIn(browsed, source.address.name), now, draw(8)))
    const ingested = await ingestAll(vault, { source: id, now, arrivals, ...(position !== undefined && { position }) })
    const letters = ingested.letters.filter(({ duplicate }) => !duplicate).map((letter) => letter.id)
    const { reopenedCauses } = ingested
    options.onKept?.({ source: id, letters, duplicates: arrivals.length - letters.length, reopenedCauses })
  }

  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

function foundIn({ message, position, deliveries, enqueuedAt }: Browsed, channel: string): Parameters<typeof arrivalOf>[0] {
  return {
    message,
    channel,
    deliveredBefore: deliveries > 0,
    broker: 'kept',
    ...(position !== undefined && { position }),
    ...(enqueuedAt !== undefined && { enqueuedAt }),
  }
}
