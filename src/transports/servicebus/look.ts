import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import { RedriveError } from '../../core/errors.ts'
import type { Address, Browsed, Measure, Page, PageRequest } from '../seam.ts'
import { ask, type Bus, pathOf } from './bus.ts'
import { toMessage } from './message.ts'
import type { Settings } from './options.ts'

/** The service shows no more at once. */
const mostAtOnce = 250

/** Peeking leaves no trace; every page says from which number on it goes, because the SDK's own cursor is shared by all who look. */
export async function browse(bus: Bus, settings: Settings, address: Address, { limit, after }: PageRequest): Promise<Page> {
  if (after !== undefined && !/^\d{1,19}$/.test(after))
    throw new RedriveError('bad-option', 'The page to go on from is not one that a page before has named.')
  const shown: ServiceBusReceivedMessage[] = []
  let from = after === undefined ? '0' : String(BigInt(after) + 1n)
  // One more than asked for tells whether there is another page.
  while (shown.length <= limit) {
    const some = await peek(bus, settings, address, from, Math.min(limit + 1 - shown.length, mostAtOnce))
    shown.push(...some)
    if (some.length === 0) break
    from = String(BigInt(positionOf(some.at(-1))) + 1n)
  }
  const messages = shown.slice(0, limit)
  const page: Page = { messages: messages.map((message) => browsedOf(bus, message)) }
  return shown.length > limit ? { ...page, next: positionOf(messages.at(-1)) } : page
}

export async function peek(
  { desk, library }: Bus,
  settings: Settings,
  address: Address,
  from: string,
  count: number,
): Promise<ServiceBusReceivedMessage[]> {
  const options = { fromSequenceNumber: library.long.fromString(from) }
  return ask(settings, pathOf(address), () => desk(address).peekMessages(count, options))
}

function browsedOf({ library }: Bus, message: ServiceBusReceivedMessage): Browsed {
  return {
    message: toMessage(library.types, message),
    position: positionOf(message),
    deliveries: Number(message.deliveryCount ?? 0),
    enqueuedAt: message.enqueuedTimeUtc?.getTime() ?? 0,
  }
}

function positionOf(message: ServiceBusReceivedMessage | undefined): string {
  return String(message?.sequenceNumber ?? 0)
}

/** Counts of the administration API, and the age of the first message that can be seen. */
export async function measure(bus: Bus, settings: Settings, address: Address): Promise<Measure> {
  const { name, group, part } = address
  const about = pathOf(address)
  const { admin } = bus
  const counts = await ask(settings, about, async () =>
    group === undefined ? admin.getQueueRuntimeProperties(name) : admin.getSubscriptionRuntimeProperties(name, group),
  )
  const { deadLetterMessageCount: dead = 0, activeMessageCount: active = 0 } = counts
  const scheduled = 'scheduledMessageCount' in counts ? (counts.scheduledMessageCount ?? 0) : 0
  const pending = part === 'dead-letter' ? dead : active + scheduled
  const [oldest] = pending > 0 ? await peek(bus, settings, address, '0', 1) : []
  const oldestAt = oldest?.enqueuedTimeUtc?.getTime()
  return { retained: pending, pending, ...(oldestAt !== undefined && { oldestAt }) }
}
