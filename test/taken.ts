import { expect } from 'vitest'
import type { Delivery, Receiver } from '../src/transports/seam.ts'

/** Nothing takes this long unless it never comes. Milliseconds. */
const patience = 100_000

/** A receiver that is closed answers at once: a loop without an end would keep timers from running, the timeout of its test among them. */
export async function taken(receiver: Receiver, count: number): Promise<Delivery[]> {
  const deliveries: Delivery[] = []
  const deadline = performance.now() + patience
  while (deliveries.length < count) {
    deliveries.push(...(await receiver.take(count - deliveries.length, 5000)))
    if (performance.now() > deadline) expect.unreachable(`Only ${deliveries.length} of ${count} came.`)
  }
  return deliveries
}

export async function next(receiver: Receiver): Promise<Delivery> {
  const [delivery] = await taken(receiver, 1)
  return delivery ?? expect.unreachable('There is none.')
}
