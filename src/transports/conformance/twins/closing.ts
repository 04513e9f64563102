import { RedriveError } from '../../../core/errors.ts'
import type { Address, Delivery, Receiver, Settlement, Transport } from '../../seam.ts'
import { mistake, receivers, type Twin } from './planting.ts'

const closedError = (): RedriveError => new RedriveError('closed', 'It is closed.')

/** Settles everything that is in hand in one way before it closes. */
function closesWith(settlement: Settlement, when: 'transport' | 'receiver'): Twin {
  return () => (transport) => {
    const held = new Set<Delivery>()
    const settleAll = async (): Promise<void> => {
      await Promise.allSettled([...held].map((delivery) => transport.settle(delivery, settlement)))
      held.clear()
    }
    return {
      ...transport,
      settle(delivery, settled) {
        held.delete(delivery)
        return transport.settle(delivery, settled)
      },
      ...(when === 'transport' && { close: () => settleAll().then(() => transport.close()) }),
      ...receivers(transport, (receiver) => ({
        async take(max, wait) {
          const batch = await receiver.take(max, wait)
          for (const delivery of batch) held.add(delivery)
          return batch
        },
        ...(when === 'receiver' && { close: () => receiver.close().then(settleAll) }),
      })),
    }
  }
}

/** Closed for its user, while the broker goes on believing that it holds its messages. */
const closesWithoutGivingBack: Twin = () => (transport) => {
  let closed = false
  const unlessClosed =
    <Args extends unknown[], Result>(verb: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      closed ? Promise.reject(closedError()) : verb(...args)
  const open: Receiver[] = []
  return {
    ...transport,
    provision: unlessClosed(transport.provision),
    extend: unlessClosed(transport.extend),
    settle: unlessClosed(transport.settle),
    send: unlessClosed(transport.send),
    browse: unlessClosed(transport.browse),
    remove: unlessClosed(transport.remove),
    measure: unlessClosed(transport.measure),
    receive: unlessClosed(async (address, options) => {
      const receiver = await transport.receive(address, options)
      open.push(receiver)
      return receiver
    }),
    async close() {
      closed = true
      await Promise.all(open.map((receiver) => receiver.close()))
    },
  }
}

/** An empty take after a close is an error. */
const rejectsWaitingTakes: Twin = () => (transport) => {
  let closed = false
  return {
    ...transport,
    close() {
      closed = true
      return transport.close()
    },
    ...receivers(transport, (receiver) => {
      let receiverClosed = false
      return {
        async take(max, wait) {
          const batch = await receiver.take(max, wait)
          if (batch.length === 0 && (closed || receiverClosed)) throw closedError()
          return batch
        },
        close() {
          receiverClosed = true
          return receiver.close()
        },
      }
    }),
  }
}

/** Fetches as many as it may, gives them out as they are asked for, and forgets the rest. */
const keepsWhatItFetched: Twin = mistake((transport) => ({
  async receive(address, options) {
    const receiver = await transport.receive(address, options)
    const fetched: Delivery[] = []
    return {
      ...receiver,
      async take(max, wait) {
        if (fetched.length === 0) fetched.push(...(await receiver.take(Math.max(max, options.prefetch), wait)))
        return fetched.splice(0, max)
      },
    }
  },
}))

const failsOnASecondClose: Twin = mistake((transport) => {
  let closed = false
  return {
    async close() {
      if (closed) throw closedError()
      closed = true
      return transport.close()
    },
  }
})

/** Deletes what it received from, as one that deletes its consumer group does. */
const emptiesOnClose: Twin = mistake((transport) => {
  const received: Address[] = []
  return {
    receive(address, options) {
      received.push(address)
      return transport.receive(address, options)
    },
    async close() {
      for (const address of received.splice(0)) {
        const { messages } = await transport.browse(address, { limit: 1000 })
        for (const { position = '' } of messages) await transport.remove(address, position)
      }
      await transport.close()
    },
  }
})

const closesEverybody: Twin = () => {
  const all: Transport[] = []
  return (transport) => {
    all.push(transport)
    return {
      ...transport,
      async close() {
        for (const other of all) await other.close()
      },
    }
  }
}

export const closingTwins: Readonly<Record<string, Twin>> = {
  'drops what it holds when it closes': closesWith({ kind: 'complete' }, 'transport'),
  'forgets deliveries with their receiver': closesWith({ kind: 'release' }, 'receiver'),
  'closes without giving back': closesWithoutGivingBack,
  'rejects a take when it closes': rejectsWaitingTakes,
  'keeps what it fetched when it closes': keepsWhatItFetched,
  'empties the channel when it closes': emptiesOnClose,
  'fails on a second close': failsOnASecondClose,
  'works on after close': mistake(() => ({ close: async () => undefined })),
  'closes every connection': closesEverybody,
}
