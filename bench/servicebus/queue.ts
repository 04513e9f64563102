import { setTimeout as sleep } from 'node:timers/promises'
import { servicebus } from '../../src/transports/servicebus/servicebus.ts'
import { orderMessage } from '../payload.ts'
import type { Task } from './task.ts'

/** A queue as Redrive makes it, with locks that last for a whole run. */
export async function fillQueue({ connectionString, adminEndpoint, queue, messages }: Task): Promise<void> {
  const transport = servicebus({ connectionString, adminEndpoint, lockDuration: '5m' })
  await transport.provision({ channels: [{ address: { name: queue }, role: 'work' }] }, 'apply')
  for (let sent = 0; sent < messages; sent += 1000) {
    const some = Array.from({ length: Math.min(1000, messages - sent) }, (_, index) => sent + index)
    await Promise.all(some.map((order) => transport.send({ name: queue }, orderMessage(order))))
  }
  await transport.close()
}

/** What is in the sub-queue once the queue itself is empty; then both are deleted. */
export async function lettersOf({ adminEndpoint, queue }: Task): Promise<number> {
  const count = async (state: string): Promise<number> => {
    const xml = await (await fetch(`${adminEndpoint}/${queue}`)).text()
    return Number(new RegExp(`${state}MessageCount>(\\d+)<`).exec(xml)?.[1])
  }
  // The server counts a settlement a moment after the client has sent it.
  for (let tries = 0; (await count('Active')) > 0; tries++) {
    if (tries === 100) throw new Error(`${await count('Active')} messages are left.`)
    await sleep(100)
  }
  const letters = await count('DeadLetter')
  await fetch(`${adminEndpoint}/${queue}`, { method: 'DELETE' })
  return letters
}
