import type { Delivery, Receiver, Transport } from '../../src/transports/seam.ts'
import { simChannels } from './script.ts'

/** Counts, from outside, how often each message was handed out and how often somebody recorded what became of it. */
export interface HandOuts {
  watch(transport: Transport): Transport
  given(id: string): number
  /** Hand-outs of which nobody knows how they ended. */
  unresolved(id: string): number
  /** Hand-outs that were given back. */
  released(id: string): number
  /** Sends of a copy for another turn of which nobody knows whether they were written. */
  unsureSends(id: string): number
  /** Letters of which the same is true, or which were refused. */
  unwrittenLetters(id: string): number
}

/** `tell` hears every hand-out and settlement; it must not wait, or it would change what it watches. */
export function countHandOuts(tell: (line: string) => void = () => {}): HandOuts {
  let connections = 0
  const given = new Map<string, number>()
  const resolved = new Map<string, number>()
  const released = new Map<string, number>()
  const unsure = new Map<string, number>()
  const unwritten = new Map<string, number>()
  const settled = new WeakSet<Delivery>()
  const raise = (counts: Map<string, number>, id = ''): void => void counts.set(id, (counts.get(id) ?? 0) + 1)
  return {
    watch: (transport) => {
      const name = `#${++connections}`
      return {
        ...transport,
        async receive(address, options): Promise<Receiver> {
          const receiver = await transport.receive(address, options)
          return {
            lost: receiver.lost,
            close: receiver.close,
            async take(max, wait) {
              const batch = await receiver.take(max, wait)
              for (const { message, turns, suspect } of batch) {
                raise(given, message.id)
                tell(`${name} takes ${message.id}${suspect ? ' as suspect' : ''} after ${turns} turns`)
              }
              return batch
            },
          }
        },
        async settle(delivery, settlement) {
          tell(`${name} settles ${delivery.message.id}: ${settlement.kind}`)
          try {
            await transport.settle(delivery, settlement)
          } catch (error) {
            if (settlement.kind === 'move') raise(unwritten, delivery.message.id)
            throw error
          }
          tell(`${name} settled ${delivery.message.id}: ${settlement.kind}`)
          if (settled.has(delivery)) return
          settled.add(delivery)
          raise(resolved, delivery.message.id)
          if (settlement.kind === 'release') raise(released, delivery.message.id)
        },
        async send(address, message, sendOptions) {
          try {
            return await transport.send(address, message, sendOptions)
          } catch (error) {
            raise(address.name === simChannels.work ? unsure : unwritten, message.id)
            throw error
          }
        },
      }
    },
    given: (id) => given.get(id) ?? 0,
    unresolved: (id) => (given.get(id) ?? 0) - (resolved.get(id) ?? 0),
    released: (id) => released.get(id) ?? 0,
    unsureSends: (id) => unsure.get(id) ?? 0,
    unwrittenLetters: (id) => unwritten.get(id) ?? 0,
  }
}
