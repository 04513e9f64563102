import type { Message } from '../../../core/message.ts'
import type { Address, Delivery, Receiver, Settlement, Transport } from '../../seam.ts'

/**
 * A twin is the real transport with one plausible mistake. It is planted once for all connections of a scenario, so that a
 * mistake can have a memory. A scenario that cannot tell a twin from the real one proves nothing.
 */
export type Twin = () => (transport: Transport) => Transport

/** A mistake that remembers nothing. */
export function mistake(make: (transport: Transport) => Partial<Transport>): Twin {
  return () => (transport) => ({ ...transport, ...make(transport) })
}

export function sends(change: (message: Message) => Message): Twin {
  return mistake((transport) => ({ send: (address, message, options) => transport.send(address, change(message), options) }))
}

type Settle = (transport: Transport, delivery: Delivery, settlement: Settlement) => Promise<void>

export function settles(settle: Settle): Twin {
  return mistake((transport) => ({ settle: (delivery, settlement) => settle(transport, delivery, settlement) }))
}

/** Settles one kind otherwise, and every other kind as it should be. */
export function settlesAs<Kind extends Settlement['kind']>(
  kind: Kind,
  instead: (settlement: Extract<Settlement, { kind: Kind }>) => Settlement,
): Twin {
  return settles((transport, delivery, settlement) =>
    transport.settle(delivery, isOf(kind, settlement) ? instead(settlement) : settlement),
  )
}

export function isOf<Kind extends Settlement['kind']>(
  kind: Kind,
  settlement: Settlement,
): settlement is Extract<Settlement, { kind: Kind }> {
  return settlement.kind === kind
}

/** Wraps every receiver of a transport. */
export function receivers(
  transport: Transport,
  wrap: (receiver: Receiver, address: Address) => Partial<Receiver>,
): Partial<Transport> {
  return {
    async receive(address, options) {
      const receiver = await transport.receive(address, options)
      return { ...receiver, ...wrap(receiver, address) }
    },
  }
}

type Take = (receiver: Receiver, max: number, wait: number) => Promise<readonly Delivery[]>

export function takes(take: Take): Twin {
  return mistake((transport) => receivers(transport, (receiver) => ({ take: (max, wait) => take(receiver, max, wait) })))
}

export function deliveries(change: (delivery: Delivery) => Delivery): Twin {
  return takes(async (receiver, max, wait) => (await receiver.take(max, wait)).map(change))
}

/** Where a message stands, over all channels. */
export function placeOf(address: Address, position: string | undefined): string {
  return `${address.name} ${position}`
}

/** Puts calls that are made together into one, and gives all of them its failure: a round trip shared badly. */
export function together(): <T>(call: () => Promise<T>) => Promise<T> {
  let gathering: { readonly calls: (() => Promise<unknown>)[]; readonly done: Promise<unknown> } | undefined
  return async (call) => {
    const outcome = Promise.withResolvers<Awaited<ReturnType<typeof call>>>()
    const run = async (): Promise<void> => outcome.resolve(await call())
    if (gathering === undefined) {
      const calls: (() => Promise<unknown>)[] = []
      const flush = async (): Promise<unknown> => {
        await Promise.resolve()
        gathering = undefined
        return Promise.all(calls.map((one) => one()))
      }
      gathering = { calls, done: flush() }
    }
    gathering.calls.push(run)
    await gathering.done
    return outcome.promise
  }
}
