import { RedriveError } from '../../../core/errors.ts'
import type { Browsed, Page, Transport } from '../../seam.ts'
import { mistake, placeOf, receivers, type Twin } from './planting.ts'

function changesPages(change: (page: Page, transport: Transport) => Promise<Page> | Page): Twin {
  return mistake((transport) => ({ browse: async (address, page) => change(await transport.browse(address, page), transport) }))
}

function bodyAlone({ message: { body }, ...shown }: Browsed): Browsed {
  return { ...shown, message: { body, headers: [] } }
}

/** Counts only what nobody holds. */
const forgetsHeld: Twin = () => {
  const held = new Map<string, Set<string>>()
  const heldIn = (channel: string): Set<string> => {
    const places = held.get(channel) ?? new Set()
    held.set(channel, places)
    return places
  }
  return (transport) => ({
    ...transport,
    async settle(delivery, settlement) {
      await transport.settle(delivery, settlement)
      heldIn(delivery.address.name).delete(placeOf(delivery.address, delivery.position))
    },
    async measure(address) {
      const { retained, pending, ...rest } = await transport.measure(address)
      const { size } = heldIn(address.name)
      return { ...rest, retained: retained - size, pending: pending - size }
    },
    ...receivers(transport, (receiver, address) => ({
      async take(max, wait) {
        const batch = await receiver.take(max, wait)
        for (const { position } of batch) heldIn(address.name).add(placeOf(address, position))
        return batch
      },
    })),
  })
}

const forgetsDelayed: Twin = () => {
  let delayed = 0
  return (transport) => ({
    ...transport,
    async settle(delivery, settlement) {
      await transport.settle(delivery, settlement)
      if (settlement.kind === 'retry' && settlement.delay > 0) delayed++
    },
    async measure(address) {
      const measure = await transport.measure(address)
      return { ...measure, pending: Math.max(0, measure.pending - delayed) }
    },
  })
}

export const lookingTwins: Readonly<Record<string, Twin>> = {
  'consumes what it shows': mistake((transport) => ({
    async browse(address, page) {
      const shown = await transport.browse(address, page)
      for (const { position = '' } of shown.messages) await transport.remove(address, position)
      return shown
    },
  })),
  'takes in order to look': mistake((transport) => ({
    async browse(address, page) {
      const shown = await transport.browse(address, page)
      const receiver = await transport.receive(address, { prefetch: page.limit, hold: 60_000 })
      for (const delivery of await receiver.take(page.limit, 0)) await transport.settle(delivery, { kind: 'release' })
      await receiver.close()
      return shown
    },
  })),
  'shows the first page for ever': mistake((transport) => ({
    browse: (address, { limit }) => transport.browse(address, { limit }),
  })),
  'skips one message between pages': mistake((transport) => ({
    async browse(address, page) {
      const shown = await transport.browse(address, page)
      return page.after === undefined ? shown : { ...shown, messages: shown.messages.slice(1) }
    },
  })),
  'rejects where there is nothing to show': changesPages((page) => {
    if (page.messages.length === 0) throw new RedriveError('unknown-channel', 'There is nothing to show.')
    return page
  }),
  'shows the body alone': changesPages((page) => ({ ...page, messages: page.messages.map(bodyAlone) })),
  'shows nothing where it failed': mistake((transport) => ({
    browse: (address, page) => transport.browse(address, page).catch(() => ({ messages: [] })),
  })),
  'removes another message': mistake((transport) => ({
    async remove(address, position) {
      const { messages } = await transport.browse(address, { limit: 1 })
      return transport.remove(address, messages[0]?.position ?? position)
    },
  })),
  'says removed whatever happened': mistake((transport) => ({
    remove: (address, position) => transport.remove(address, position).then(() => true),
  })),
  'gives an age to nothing': mistake((transport) => ({
    measure: async (address) => ({ oldestAt: 0, ...(await transport.measure(address)) }),
  })),
  'counts at most one page': mistake((transport) => ({
    async measure(address) {
      const measure = await transport.measure(address)
      return { ...measure, retained: Math.min(2, measure.retained), pending: Math.min(2, measure.pending) }
    },
  })),
  'forgets what is held': forgetsHeld,
  'forgets what is delayed': forgetsDelayed,
  'tells the age of the newest': mistake((transport) => ({
    async measure(address) {
      const [measure, { messages }] = await Promise.all([transport.measure(address), transport.browse(address, { limit: 100 })])
      const newest = messages.at(-1)?.enqueuedAt
      return newest === undefined ? measure : { ...measure, oldestAt: newest }
    },
  })),
  'measures 0 where it failed': mistake((transport) => ({
    measure: (address) => transport.measure(address).catch(() => ({ retained: 0, pending: 0 })),
  })),
}
