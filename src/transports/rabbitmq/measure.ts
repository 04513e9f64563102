import type { Measure } from '../seam.ts'
import type { Ask } from './admin.ts'
import type { ManagedQueue, Management } from './management.ts'

/** Queues tell their statistics every five seconds, and the management API takes its time to add them up. Milliseconds. */
const lateBy = 10_000

/**
 * AMQP counts what is ready, exactly and at once; what we hold we know ourselves. What others hold only the management API
 * knows, some seconds late. So the larger number counts: it is 0 only when both say so.
 */
export async function measure(
  ask: Ask,
  management: Management | undefined,
  name: string,
  heldByUs: () => number,
  longestHold: number,
): Promise<Measure> {
  const [ready, managed] = await Promise.all([
    ask(`queue "${name}"`, (channel) => channel.checkQueue(name)),
    management?.queue(name),
  ])
  const count = Math.max(ready.messageCount + heldByUs(), managed?.messages ?? 0)
  // Of a queue that is new, the management API knows no number yet.
  const isHeldSeen = managed?.messages !== undefined
  const keepsFor = managed && expiryOf(managed)
  return {
    retained: count,
    pending: count,
    consumers: ready.consumerCount,
    ...(isHeldSeen ? { lateBy } : { heldUnseen: longestHold }),
    ...(keepsFor !== undefined && { keepsFor }),
  }
}

/** What expires into another queue is not lost. */
function expiryOf({ arguments: given = {}, effective_policy_definition: policy = {} }: ManagedQueue): number | undefined {
  if (given['x-dead-letter-exchange'] !== undefined || policy['dead-letter-exchange'] !== undefined) return undefined
  const limits = [given['x-message-ttl'], policy['message-ttl']].filter((ttl) => typeof ttl === 'number')
  return limits.length === 0 ? undefined : Math.min(...limits)
}
