import { hasCode, RedriveError } from '../../../core/errors.ts'
import type { Message } from '../../../core/message.ts'
import type { Address, Delivery, Receiver } from '../../seam.ts'
import { deliveries, mistake, placeOf, receivers, type Twin, takes } from './planting.ts'

const deadReceiver: Receiver = { take: async () => [], lost: new AbortController().signal, close: async () => undefined }

/** Gives a delivery to its own receiver and, with the next take, to another one. */
const sharesDeliveries: Twin = () => {
  let last: { readonly delivery: Delivery; readonly by: Receiver } | undefined
  return (transport) => ({
    ...transport,
    ...receivers(transport, (receiver) => ({
      async take(max, wait) {
        const shared = last !== undefined && last.by !== receiver ? [last.delivery] : []
        last = undefined
        const own = max > shared.length ? await receiver.take(max - shared.length, shared.length > 0 ? 0 : wait) : []
        if (own[0] !== undefined) last = { delivery: own[0], by: receiver }
        return [...shared, ...own]
      },
    })),
  })
}

/** Keeps the first copy of a message that it ever gave out, and gives that out for ever. */
const sharesBuffers: Twin = () => {
  const first = new Map<string, Message>()
  return deliveries((delivery) => {
    const place = placeOf(delivery.address, delivery.position)
    const message = first.get(place) ?? delivery.message
    first.set(place, message)
    return { ...delivery, message }
  })()
}

/** Nothing more while anything is in anybody's hands. */
const oneAtATime: Twin = () => {
  const inHand = new Set<string>()
  return (transport) => ({
    ...transport,
    async settle(delivery, settlement) {
      inHand.delete(placeOf(delivery.address, delivery.position))
      return transport.settle(delivery, settlement)
    },
    ...receivers(transport, (receiver, address) => ({
      async take(max, wait) {
        if (inHand.size > 0) return []
        const batch = await receiver.take(Math.min(1, max), wait)
        for (const { position } of batch) inHand.add(placeOf(address, position))
        return batch
      },
    })),
  })
}

let drawn = 0

/** Reads, writes and counts the channel itself, whoever it was asked for. */
const ignoresGroups: Twin = mistake((transport) => {
  const bare = ({ group: _, ...address }: Address): Address => address
  return {
    provision: ({ channels }, mode) =>
      transport.provision({ channels: channels.map((wanted) => ({ ...wanted, address: bare(wanted.address) })) }, mode),
    receive: (address, options) => transport.receive(bare(address), options),
    send: (address, message, options) => transport.send(bare(address), message, options),
    browse: (address, page) => transport.browse(bare(address), page),
    remove: (address, position) => transport.remove(bare(address), position),
    measure: (address) => transport.measure(bare(address)),
  }
})

export const receivingTwins: Readonly<Record<string, Twin>> = {
  'hands every delivery out twice': takes(async (receiver, max, wait) =>
    (await receiver.take(max, wait)).flatMap((delivery) => [delivery, delivery]).slice(0, max),
  ),
  'gives more than it was asked for': takes((receiver, max, wait) => receiver.take(2 * max, wait)),
  'does not wait': takes((receiver, max) => receiver.take(max, 0)),
  'rejects when nothing comes': takes(async (receiver, max, wait) => {
    const batch = await receiver.take(max, wait)
    if (batch.length === 0) throw new RedriveError('unreachable', 'Nothing came.')
    return batch
  }),
  'receives from channels that do not exist': mistake((transport) => ({
    receive: (address, options) =>
      transport.receive(address, options).catch((error: unknown) => {
        if (hasCode(error, 'unknown-channel')) return deadReceiver
        throw error
      }),
  })),
  'takes every message for a suspect': deliveries((delivery) => ({ ...delivery, suspect: true })),
  'suspects nothing': deliveries((delivery) => ({ ...delivery, suspect: false })),
  'blames the neighbours': deliveries((delivery) => ({ ...delivery, turns: delivery.turns + (delivery.suspect ? 1 : 0) })),
  'forgets turns': deliveries((delivery) => ({ ...delivery, turns: 0 })),
  'changes positions': deliveries((delivery) => ({ ...delivery, position: `${delivery.position}#${++drawn}` })),
  'makes up ids': deliveries((delivery) => ({ ...delivery, message: { id: `drawn-${++drawn}`, ...delivery.message } })),
  'takes no notice of groups': ignoresGroups,
  'hands one delivery to two receivers': sharesDeliveries,
  'hands out one buffer again and again': sharesBuffers,
  'hands out one message at a time': oneAtATime,
  'reorders a lane': takes(async (receiver, max, wait) => (await receiver.take(max, wait)).toReversed()),
  'hands suspects out in a crowd': takes(async (receiver, max, wait) => {
    const batch = [...(await receiver.take(max, wait))]
    for (let more = batch; more.length > 0 && batch.length < max; batch.push(...more)) {
      more = [...(await receiver.take(max - batch.length, 0))]
    }
    return batch
  }),
  'acknowledges on receipt': mistake((transport) =>
    receivers(transport, (receiver) => ({
      async take(max, wait) {
        const batch = await receiver.take(max, wait)
        for (const delivery of batch) await transport.settle(delivery, { kind: 'complete' })
        return batch
      },
    })),
  ),
  'stumbles over strange bodies': takes(async (receiver, max, wait) => {
    const batch = await receiver.take(max, wait)
    const strange = batch.find(({ message }) => message.id === undefined)
    if (strange !== undefined) throw new RedriveError('invalid-message', 'One message of the batch has no id.')
    return batch
  }),
  'waits for ever on a dead connection': takes(async (receiver, max, wait) => {
    const batch = await receiver.take(max, wait)
    return receiver.lost.aborted ? new Promise(() => undefined) : batch
  }),
}
