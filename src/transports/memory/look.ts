import type { Chain } from '../../core/chain.ts'
import type { Browsed, Measure, Page, PageRequest } from '../seam.ts'
import { copyOut } from './copy.ts'
import type { Entry } from './entry.ts'

/** Looking at a channel: everything in it, held and delayed messages included, and nothing in it changes. */
export function browseEntries(entries: Iterable<Entry>, { limit, after }: PageRequest): Page {
  const from = after === undefined ? 0 : Number(after)
  const messages: Browsed[] = []
  for (const { sequence, message, position, deliveries, enqueuedAt } of entries) {
    if (sequence <= from) continue
    if (messages.length === limit) return { messages, next: messages.at(-1)?.position ?? String(from) }
    messages.push({ message: copyOut(message), position, deliveries, enqueuedAt })
  }
  return { messages }
}

export function measureEntries(entries: Chain<Entry>): Measure {
  const oldest = entries.first
  const counts = { retained: entries.size, pending: entries.size }
  return oldest === undefined ? counts : { ...counts, oldestAt: oldest.enqueuedAt }
}
