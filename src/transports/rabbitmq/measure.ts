import type { Measure } from '../seam.ts'
import type { Ask } from './admin.ts'
import type { Management } from './management.ts'

/**
 * AMQP counts what is ready, exactly and at once; what we hold we know ourselves. What others hold only the management API
 * knows, some seconds late. So the larger number counts: it is 0 only when both say so.
 */
export async function measure(
  ask: Ask,
  management: Management | undefined,
  name: string,
  heldByUs: () => number,
): Promise<Measure> {
  const [ready, managed] = await Promise.all([
    ask(`queue "${name}"`, (channel) => channel.checkQueue(name)),
    management?.queue(name),
  ])
  const count = Math.max(ready.messageCount + heldByUs(), managed?.messages ?? 0)
  return { retained: count, pending: count }
}
