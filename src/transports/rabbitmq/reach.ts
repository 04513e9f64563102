import { hasCode } from '../../core/errors.ts'
import type { Route } from '../../core/route.ts'
import type { Reach } from '../seam.ts'
import { takes } from './dead-letter-exchange.ts'
import type { ManagedBinding, Management } from './management.ts'

type Atlas = Pick<Management, 'exchange' | 'bindings' | 'queueNames'>

/** These route by the key alone; of others nobody but the broker knows what they do. */
const byKey: ReadonlySet<string> = new Set(['direct', 'fanout', 'topic'])

/**
 * The queues that a message reaches when it is published to an exchange with a key: by its bindings, those to other exchanges included, and by
 * its alternate exchange where nothing is bound for the key. AMQP does not tell bindings, so without the management API nobody knows.
 */
export async function reachOf(management: Atlas | undefined, route: Route): Promise<Reach> {
  const { exchange, routingKey } = route
  if (!management) {
    if (exchange === '') return { channels: [routingKey] }
    return { channels: [], doubt: 'Only the management API tells what is bound to an exchange, and this connection has none.' }
  }
  if (exchange === '') return { channels: (await management.queueNames()).filter((name) => name === routingKey) }
  const bindings = await management.bindings()
  const queues = new Set<string>()
  const doubts = new Set<string>()
  const visited = new Set<string>()

  async function visit(name: string): Promise<void> {
    if (visited.has(name)) return
    visited.add(name)
    const known = await management?.exchange(name).catch(unlessMissing)
    if (!known) return
    const { type, arguments: given, policy } = known
    if (!byKey.has(type)) doubts.add(`The exchange ${name} is of type ${type} and does not route by the key alone.`)
    const taken = bindings.filter((binding) => binding.source === name && takes(type, binding.routing_key, routingKey))
    for (const binding of taken) await go(binding)
    if (taken.length > 0) return
    const alternate = given['alternate-exchange']
    if (typeof alternate === 'string') await visit(alternate)
    else if (policy) doubts.add(`The policy ${policy} may give the exchange ${name} an alternate one, which was not looked at.`)
  }

  async function go({ destination, destination_type: kind }: ManagedBinding): Promise<void> {
    if (kind === 'queue') queues.add(destination)
    else await visit(destination)
  }

  await visit(exchange)
  return { channels: [...queues].toSorted(), ...(doubts.size > 0 && { doubt: [...doubts].join(' ') }) }
}

/** An exchange that is gone reaches nothing. */
function unlessMissing(error: unknown): undefined {
  if (!hasCode(error, 'unknown-channel')) throw error
}
