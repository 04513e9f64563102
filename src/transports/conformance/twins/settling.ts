import { hasCode, RedriveError } from '../../../core/errors.ts'
import type { Message } from '../../../core/message.ts'
import type { Address, Delivery } from '../../seam.ts'
import { isOf, mistake, placeOf, receivers, settles, settlesAs, type Twin, together } from './planting.ts'

const complete = { kind: 'complete' } as const

function bare({ id, body }: Message): Message {
  return id === undefined ? { body, headers: [] } : { id, body, headers: [] }
}

const refusesASecondSettlement: Twin = () => {
  const settled = new WeakSet<Delivery>()
  return settles(async (transport, delivery, settlement) => {
    if (settled.has(delivery)) throw new RedriveError('hold-lost', 'It was settled before.')
    settled.add(delivery)
    return transport.settle(delivery, settlement)
  })()
}

const lastOneWins: Twin = () => {
  const released = new WeakSet<Delivery>()
  return settles(async (transport, delivery, settlement) => {
    if (settlement.kind === 'release') released.add(delivery)
    await transport.settle(delivery, settlement)
    if (settlement.kind === 'complete' && released.has(delivery))
      await transport.remove(delivery.address, delivery.position ?? '')
  })()
}

/** Keeps one handle for each message, the newest, as one that acknowledges by message id would. */
const settlesByPosition: Twin = () => {
  const newest = new Map<string, Delivery>()
  return (transport) => ({
    ...transport,
    async settle(delivery, settlement) {
      try {
        await transport.settle(delivery, settlement)
      } catch (error) {
        const current = newest.get(placeOf(delivery.address, delivery.position))
        if (!hasCode(error, 'hold-lost') || current === undefined) throw error
        await transport.settle(current, settlement)
      }
    },
    ...receivers(transport, (receiver, address) => ({
      async take(max, wait) {
        const batch = await receiver.take(max, wait)
        for (const delivery of batch) newest.set(placeOf(address, delivery.position), delivery)
        return batch
      },
    })),
  })
}

const losesEveryHundredth: Twin = () => {
  let settlements = 0
  return settles(async (transport, delivery, settlement) => {
    if (++settlements % 100 !== 0) await transport.settle(delivery, settlement)
  })()
}

const settlesTogether: Twin = mistake((transport) => {
  const shared = together()
  return { settle: (delivery, settlement) => shared(() => transport.settle(delivery, settlement)) }
})

/** Waits with a settlement until the next one comes, so that two can share a round trip, and calls it done. */
const settlesLater: Twin = () => (transport) => {
  let waiting: (() => Promise<void>) | undefined
  const flush = async (): Promise<void> => {
    const before = waiting
    waiting = undefined
    await before?.()
  }
  return {
    ...transport,
    async settle(delivery, settlement) {
      await flush()
      waiting = () => transport.settle(delivery, settlement)
    },
    async close() {
      await flush()
      await transport.close()
    },
  }
}

/** Completes a message that is to be retried, and sends it again when it next takes: a crash in between loses it. */
const retriesFromMemory: Twin = () => (transport) => {
  const waiting: { readonly address: Address; readonly message: Message }[] = []
  return {
    ...transport,
    async settle(delivery, settlement) {
      if (settlement.kind !== 'retry') return transport.settle(delivery, settlement)
      waiting.push(delivery)
      return transport.settle(delivery, complete)
    },
    ...receivers(transport, (receiver) => ({
      async take(max, wait) {
        for (const { address, message } of waiting.splice(0)) await transport.send(address, message)
        return receiver.take(max, wait)
      },
    })),
  }
}

/** While a message waits for its retry, everything that comes is put aside. */
const blocksBehindRetries: Twin = () => (transport) => {
  const retrying = new Set<string>()
  const aside: Delivery[] = []
  return {
    ...transport,
    async settle(delivery, settlement) {
      await transport.settle(delivery, settlement)
      if (settlement.kind === 'retry' && settlement.delay > 0) retrying.add(placeOf(delivery.address, delivery.position))
    },
    ...receivers(transport, (receiver, address) => ({
      async take(max, wait) {
        if (retrying.size === 0 && aside.length > 0) return aside.splice(0, max)
        const batch = await receiver.take(max, wait)
        if (retrying.size === 0) return batch
        aside.push(...batch)
        for (const { position } of batch) retrying.delete(placeOf(address, position))
        return retrying.size === 0 ? aside.splice(-1) : []
      },
    })),
  }
}

export const settlingTwins: Readonly<Record<string, Twin>> = {
  'gives nothing back to the broker': settles(async (transport, delivery, settlement) => {
    if (settlement.kind !== 'complete') await transport.settle(delivery, settlement)
  }),
  'rejects a second settlement': refusesASecondSettlement,
  'lets the last settlement win': lastOneWins,
  'counts releases as turns': settlesAs('release', () => ({ kind: 'retry', delay: 0 })),
  'completes what it should release': settlesAs('release', () => complete),
  'puts released messages at the end': settles(async (transport, delivery, settlement) => {
    if (settlement.kind !== 'release') return transport.settle(delivery, settlement)
    await transport.send(delivery.address, delivery.message)
    return transport.settle(delivery, complete)
  }),
  'reports every settlement as done': settles(async (transport, delivery, settlement) => {
    await Promise.allSettled([transport.settle(delivery, settlement)])
  }),
  'settles for the new holder': settlesByPosition,
  'loses one settlement of many': losesEveryHundredth,
  'fails settlements together': settlesTogether,
  'completes at its leisure': settlesLater,
  'extends nothing': mistake(() => ({ extend: async (delivery, ms) => delivery.heldUntil + ms })),
  'extends what is lost': mistake((transport) => ({
    extend: (delivery, ms) => transport.extend(delivery, ms).catch(() => delivery.heldUntil + ms),
  })),
  'delivers retries early': settlesAs('retry', (retry) => ({ ...retry, delay: 0 })),
  'forgets what it retries': settlesAs('retry', () => complete),
  'forgets the headers of a retry': settlesAs('retry', ({ kind, delay }) => ({ kind, delay })),
  'retries a bare copy': settles(async (transport, delivery, settlement) => {
    if (settlement.kind !== 'retry') return transport.settle(delivery, settlement)
    await transport.send(delivery.address, bare(delivery.message), { delay: settlement.delay })
    return transport.settle(delivery, complete)
  }),
  'lets siblings overtake a retry': settles(async (transport, delivery, settlement) => {
    if (settlement.kind !== 'retry') return transport.settle(delivery, settlement)
    await transport.send(delivery.address, delivery.message, { delay: settlement.delay })
    return transport.settle(delivery, complete)
  }),
  'keeps retries in its own memory': retriesFromMemory,
  'blocks behind a failure': blocksBehindRetries,
  'copies instead of moving': settles(async (transport, delivery, settlement) => {
    if (isOf('move', settlement)) await transport.send(settlement.to, settlement.message)
    else await transport.settle(delivery, settlement)
  }),
  'completes instead of moving': settlesAs('move', () => complete),
  'acknowledges before the move is durable': settles(async (transport, delivery, settlement) => {
    if (!isOf('move', settlement)) return transport.settle(delivery, settlement)
    await transport.settle(delivery, complete)
    await transport.send(settlement.to, settlement.message)
  }),
  'moves in two steps': settles(async (transport, delivery, settlement) => {
    if (!isOf('move', settlement)) return transport.settle(delivery, settlement)
    await transport.send(settlement.to, settlement.message)
    return transport.settle(delivery, complete)
  }),
  'moves the body alone': settlesAs('move', (move) => ({ ...move, message: bare(move.message) })),
  'rejects into nothing': settlesAs('reject', () => complete),
  'rejects without a reason': settlesAs('reject', ({ kind, failure }) => ({
    kind,
    failure: { ...failure, reason: '', description: '' },
  })),
}
