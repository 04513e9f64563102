import assert from 'node:assert/strict'
import { countHeader, withHeaders } from '../../core/headers.ts'
import { redriveHeaders } from '../../core/letter.ts'
import type { Headers, Message } from '../../core/message.ts'
import type { Clock } from '../../core/ports.ts'
import type { Address, Delivery, Receiver, Settlement, Transport } from '../seam.ts'

/** A receiver in the hands of a scenario. */
export interface Consumer {
  readonly transport: Transport
  readonly receiver: Receiver
  /** The next delivery; fails when none comes in time. */
  next(): Promise<Delivery>
  /** What one take gives that gives anything: at least one delivery, at most `max`. */
  some(max: number): Promise<readonly Delivery[]>
  /** So many deliveries, over as many takes as that needs. */
  gather(count: number): Promise<Delivery[]>
  /** Fails when anything comes. */
  nothing(): Promise<void>
  settle(delivery: Delivery, settlement: Settlement): Promise<void>
  complete(...deliveries: readonly Delivery[]): Promise<void>
  /** Natively where the broker can, else as the runtime does it: a copy that is confirmed, then the original is completed. */
  retry(delivery: Delivery, delay: number, headers?: Headers): Promise<void>
  /** In one step where the broker can, else a send that is confirmed, then the original is completed. */
  move(delivery: Delivery, to: Address, message?: Message): Promise<void>
}

export interface ConsumerSetting {
  readonly transport: Transport
  readonly receiver: Receiver
  readonly clock: Clock
  readonly quiet: number
  readonly patience: number
}

export function createConsumer({ transport, receiver, clock, quiet, patience }: ConsumerSetting): Consumer {
  const settle = (delivery: Delivery, settlement: Settlement): Promise<void> => transport.settle(delivery, settlement)

  async function some(max: number): Promise<readonly Delivery[]> {
    const deadline = clock.monotonic() + patience
    for (let left = patience; left > 0; left = deadline - clock.monotonic()) {
      const batch = await receiver.take(max, left)
      assert.ok(batch.length <= max, `${batch.length} deliveries came although only ${max} were asked for.`)
      if (batch.length > 0) return batch
      // A transport that does not wait must not turn this into a loop that never lets time pass.
      await new Promise<void>((resolve) => clock.after(1, resolve))
    }
    return assert.fail(`Nothing came within ${patience} ms.`)
  }

  async function gather(count: number): Promise<Delivery[]> {
    const gathered: Delivery[] = []
    while (gathered.length < count) gathered.push(...(await some(count - gathered.length)))
    return gathered
  }

  return {
    transport,
    receiver,
    async next() {
      const [delivery] = await gather(1)
      assert.ok(delivery)
      return delivery
    },
    some,
    gather,
    async nothing() {
      const batch = await receiver.take(1, quiet)
      assert.deepEqual(
        batch.map(({ message }) => message),
        [],
        'A delivery came where none may come.',
      )
    },
    settle,
    async complete(...deliveries) {
      await Promise.all(deliveries.map((delivery) => settle(delivery, { kind: 'complete' })))
    },
    async retry(delivery, delay, headers = []) {
      if (transport.capabilities.retry.by === 'native') {
        return settle(delivery, headers.length > 0 ? { kind: 'retry', delay, headers } : { kind: 'retry', delay })
      }
      await transport.send(delivery.address, nextCopy(delivery, headers), { delay })
      return settle(delivery, { kind: 'complete' })
    },
    async move(delivery, to, message = delivery.message) {
      if (transport.capabilities.move === 'atomic') return settle(delivery, { kind: 'move', to, message })
      await transport.send(to, message)
      return settle(delivery, { kind: 'complete' })
    },
  }
}

function nextCopy({ message, turns }: Delivery, headers: Headers): Message {
  const attempts = (countHeader(message.headers, redriveHeaders.attempts) ?? 0) + turns + 1
  return { ...message, headers: withHeaders(message.headers, [...headers, [redriveHeaders.attempts, String(attempts)]]) }
}

/** Turns in all, whichever way the broker keeps them. */
export function turnsOf({ message, turns }: Delivery): number {
  return turns + (countHeader(message.headers, redriveHeaders.attempts) ?? 0)
}
