import { withHeaders } from '../../../src/core/headers.ts'
import { redriveHeaders } from '../../../src/core/letter.ts'
import type { Header } from '../../../src/core/message.ts'
import type { Clock } from '../../../src/core/ports.ts'
import type { Delivery, Settlement, Transport } from '../../../src/transports/seam.ts'
import type { Wrapping } from '../sim-process.ts'

export type TransportBug = Wrapping['transport']

/** Mistakes that real systems of this kind have made, each as the real transport with that one mistake. */
export const transportBugs: Readonly<Record<string, TransportBug>> = {
  'completes the source before its letter is durable': acksBeforeItPublishes,
  'swallows a letter that could not be written': swallowsPublishErrors,
  'counts a turn only when its handler has returned': deliveries((delivery) =>
    delivery.suspect ? { ...delivery, suspect: false, turns: 0 } : delivery,
  ),
  'forgets the turns when it connects anew': forgetsTurnsOnReconnect,
  'commits past what is still in flight': completesEverythingBefore,
  'does not hear that a message was taken away': isNotFenced,
  'keeps delayed retries in the memory of the process': delaysInMemory,
  'takes messages with the same body for the same message': deduplicatesByBody,
  'takes a retry for done': settling((transport, delivery, settlement) =>
    transport.settle(delivery, settlement.kind === 'retry' ? { kind: 'complete' } : settlement),
  ),
  'counts a release as a turn': settling((transport, delivery, settlement) =>
    transport.settle(delivery, settlement.kind === 'release' ? { kind: 'retry', delay: 0 } : settlement),
  ),
  'blames everybody who was in hand when a process died': deliveries((delivery) =>
    delivery.suspect ? { ...delivery, turns: delivery.turns + 1 } : delivery,
  ),
  'hands messages out in reverse': taking((batch) => batch.toReversed()),
  'completes on receipt': completesOnReceipt,
  'forgets every tenth message': taking((batch) => batch.filter(({ message }) => !message.id?.endsWith('7'))),
  'trusts a send that was not confirmed': (transport) => ({
    ...transport,
    send: (...call) => transport.send(...call).catch(() => ({ duplicate: false })),
  }),
  'writes another body than it was given': (transport) => ({
    ...transport,
    send: (address, message, options) => transport.send(address, { ...message, body: new Uint8Array([123, 125]) }, options),
  }),
}

type Settle = (transport: Transport, delivery: Delivery, settlement: Settlement, clock: Clock) => Promise<void>

function settling(settle: Settle): TransportBug {
  return (transport, clock) => ({
    ...transport,
    settle: (delivery, settlement) => settle(transport, delivery, settlement, clock),
  })
}

function taking(twist: (batch: readonly Delivery[]) => readonly Delivery[] | Promise<readonly Delivery[]>): TransportBug {
  return (transport) => ({
    ...transport,
    async receive(address, options) {
      const receiver = await transport.receive(address, options)
      return { lost: receiver.lost, close: receiver.close, take: async (max, wait) => twist(await receiver.take(max, wait)) }
    },
  })
}

function deliveries(change: (delivery: Delivery) => Delivery): TransportBug {
  return taking((batch) => batch.map(change))
}

/** Where a letter is moved, and where it is sent and its source completed afterwards. */
function acksBeforeItPublishes(transport: Transport): Transport {
  let lastTaken: readonly Delivery[] = []
  const remembering = taking((batch) => {
    lastTaken = [...lastTaken, ...batch]
    return batch
  })(transport, neverTicks)
  return {
    ...remembering,
    async settle(delivery, settlement) {
      if (settlement.kind !== 'move') return transport.settle(delivery, settlement)
      await transport.settle(delivery, { kind: 'complete' })
      await transport.send(settlement.to, settlement.message).catch(() => {})
    },
    async send(address, message, options) {
      const source = lastTaken.find((delivery) => delivery.message.id === message.id)
      if (source) await transport.settle(source, { kind: 'complete' }).catch(() => {})
      return transport.send(address, message, options)
    },
  }
}

function swallowsPublishErrors(transport: Transport): Transport {
  return {
    ...transport,
    settle: (delivery, settlement) =>
      settlement.kind === 'move' || settlement.kind === 'reject'
        ? transport.settle(delivery, settlement).catch(() => transport.settle(delivery, { kind: 'complete' }))
        : transport.settle(delivery, settlement),
    send: (...call) => transport.send(...call).catch(() => ({ duplicate: false })),
  }
}

function forgetsTurnsOnReconnect(transport: Transport): Transport {
  let connects = 0
  return {
    ...transport,
    async receive(address, options) {
      const isFirst = connects++ === 0
      const receiver = await transport.receive(address, options)
      const forget = (delivery: Delivery): Delivery => (isFirst ? delivery : { ...delivery, turns: 0, suspect: false })
      return {
        lost: receiver.lost,
        close: receiver.close,
        take: async (max, wait) => (await receiver.take(max, wait)).map(forget),
      }
    },
  }
}

/** A position instead of a set: what was taken earlier from the same lane is done as well. */
function completesEverythingBefore(transport: Transport): Transport {
  let taken: Delivery[] = []
  return {
    ...taking((batch) => {
      taken.push(...batch)
      return batch
    })(transport, neverTicks),
    async settle(delivery, settlement) {
      await transport.settle(delivery, settlement)
      if (settlement.kind !== 'complete') return
      const earlier = taken.slice(0, taken.indexOf(delivery)).filter(({ lane }) => lane === delivery.lane)
      taken = taken.filter((other) => !earlier.includes(other))
      for (const other of earlier) await transport.settle(other, { kind: 'complete' }).catch(() => {})
    },
  }
}

function isNotFenced(transport: Transport): Transport {
  const forEver = { signal: new AbortController().signal }
  return {
    ...deliveries((delivery) => ({ ...delivery, hold: forEver }))(transport, neverTicks),
    extend: async (_, ms) => ms,
    settle: (delivery, settlement) => transport.settle(delivery, settlement).catch(() => {}),
  }
}

function delaysInMemory(transport: Transport, clock: Clock): Transport {
  return {
    ...transport,
    async settle(delivery, settlement) {
      if (settlement.kind !== 'retry') return transport.settle(delivery, settlement)
      await transport.settle(delivery, { kind: 'complete' })
      const counted: Header = [redriveHeaders.attempts, String(delivery.turns + 1)]
      const copy = { ...delivery.message, headers: withHeaders(delivery.message.headers, [counted]) }
      clock.after(settlement.delay, () => void transport.send(delivery.address, copy).catch(() => {}))
    },
    async send(address, message, options) {
      if (!options?.delay) return transport.send(address, message, options)
      clock.after(options.delay, () => void transport.send(address, message).catch(() => {}))
      return { duplicate: false }
    },
  }
}

function deduplicatesByBody(transport: Transport): Transport {
  const seen = new Map<string, string>()
  return taking(async (batch) => {
    const fresh: Delivery[] = []
    for (const delivery of batch) {
      const body = String(delivery.message.body)
      const id = delivery.message.id ?? ''
      if ((seen.get(body) ?? id) === id) fresh.push(delivery)
      else await transport.settle(delivery, { kind: 'complete' }).catch(() => {})
      seen.set(body, seen.get(body) ?? id)
    }
    return fresh
  })(transport, neverTicks)
}

function completesOnReceipt(transport: Transport): Transport {
  return taking(async (batch) => {
    for (const delivery of batch) await transport.settle(delivery, { kind: 'complete' }).catch(() => {})
    return batch
  })(transport, neverTicks)
}

/** For plants that wrap plants and have no use for time. */
const neverTicks: Clock = { now: () => 0, monotonic: () => 0, after: () => () => {}, soon: () => {} }
