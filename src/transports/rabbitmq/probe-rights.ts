import type { Channel } from 'amqplib'
import type { Ask } from './admin.ts'
import { isAccessRefused, isNotFound } from './amqp-errors.ts'

/** What a user may do to a queue or an exchange that has nothing to do with it. */
export type Right = 'configure' | 'write' | 'read'

/**
 * Asks for things of a name that nobody has. The broker checks the right before it looks whether there is such a thing, so that the answer
 * tells about the right, and nothing is there to be changed. Tells the rights that reach as far as that name.
 */
export async function probeRights(ask: Ask, name: string): Promise<readonly Right[]> {
  const found: Right[] = []
  for (const [right, attempt] of attempts) {
    const isGiven = await ask(`queue "${name}"`, (channel) => attempt(channel, name).then(() => true, judged(right)))
    if (isGiven) found.push(right)
  }
  return found
}

const attempts: readonly (readonly [Right, (channel: Channel, name: string) => Promise<unknown>])[] = [
  // Deleting what is not there is accepted.
  ['configure', (channel, name) => channel.deleteQueue(name)],
  ['write', (channel, name) => channel.bindQueue(name, name, '')],
  ['read', (channel, name) => channel.get(name)],
]

/** To bind needs to write to the queue, and then to read from the exchange: whoever is refused the exchange was allowed the queue. */
function judged(right: Right): (error: unknown) => boolean {
  return (error) => {
    if (isNotFound(error)) return true
    if (!isAccessRefused(error)) throw error
    return right === 'write' && /access to exchange '/.test(error instanceof Error ? error.message : '')
  }
}
