import { hasCode } from '../../core/errors.ts'
import type { Finding } from '../topology.ts'
import type { Ask } from './admin.ts'
import type { Tell } from './finding.ts'
import type { ManagedBinding, Management } from './management.ts'

/** A dead-letter exchange that is not the default one. What only the management API tells is absent where nobody asked it. */
export interface DeadLetterExchange {
  readonly exists: boolean
  readonly seen?: {
    readonly type: string
    readonly durable: boolean
    readonly alternate: string | undefined
    readonly bindings: readonly Pick<ManagedBinding, 'destination' | 'routing_key'>[]
  }
}

export async function inspectExchange(
  ask: Ask,
  management: Management | undefined,
  bindings: readonly ManagedBinding[],
  name: string,
): Promise<DeadLetterExchange> {
  const exists = await exchangeExists(ask, name)
  if (!exists || !management) return { exists }
  const { type, durable, arguments: given } = await management.exchange(name)
  const alternate = given['alternate-exchange']
  return {
    exists,
    seen: {
      type,
      durable,
      alternate: typeof alternate === 'string' ? alternate : undefined,
      bindings: bindings.filter(({ source }) => source === name),
    },
  }
}

async function exchangeExists(ask: Ask, name: string): Promise<boolean> {
  try {
    await ask(`exchange "${name}"`, (channel) => channel.checkExchange(name))
    return true
  } catch (error) {
    if (hasCode(error, 'unknown-channel')) return false
    throw error
  }
}

/** Whether what is rejected from `queue` reaches `grave` by way of this exchange. Pure. */
export function* compareExchange(
  tell: Tell,
  exchange: DeadLetterExchange & { readonly name: string },
  { queue, grave, routingKey }: { readonly queue: string; readonly grave: string; readonly routingKey: string | undefined },
): Generator<Finding> {
  const { name, exists, seen } = exchange
  const to = `dead-letters to the exchange ${name}`
  if (!exists)
    yield tell('fatal', 'dead-letter-exchange-missing', `${to}, which does not exist: messages would be lost. Create it.`)
  else if (!seen) yield tell('warning', 'dead-letter-unproven', `${to}; only the management API can tell what is bound to it.`)
  else {
    if (!seen.durable)
      yield tell(
        'fatal',
        'dead-letter-exchange-not-durable',
        `${to}, which a restart of the broker loses. Create it anew, durable.`,
      )
    const bound = seen.bindings.filter(({ destination }) => destination === grave)
    if (seen.bindings.length === 0)
      yield tell('fatal', 'dead-letter-unbound', `${to}, to which no queue is bound. Bind ${grave} to it.`)
    else if (bound.length === 0) yield tell('warning', 'dead-letter-differs', `${to}, to which ${grave} is not bound.`)
    else if (!bound.some(({ routing_key }) => takes(seen.type, routing_key, routingKey ?? queue)))
      yield routingKey === undefined
        ? tell(
            'warning',
            'dead-letter-unproven',
            `${to} with the routing key of each message; ${grave} is bound for others than ${queue}.`,
          )
        : tell(
            'fatal',
            'dead-letter-unrouted',
            `${to} with the routing key ${routingKey}, for which ${grave} is not bound to it.`,
          )
  }
}

/** Whether a binding takes a message. Bindings of other types look at more than the key, so they are believed. */
export function takes(type: string, bindingKey: string, routingKey: string): boolean {
  if (type === 'direct') return bindingKey === routingKey
  return type !== 'topic' || matches(bindingKey.split('.'), routingKey.split('.'))
}

/** `*` is one word, `#` any number of them. */
function matches([pattern, ...patterns]: readonly string[], words: readonly string[]): boolean {
  if (pattern === undefined) return words.length === 0
  if (pattern === '#') return matches(patterns, words) || (words.length > 0 && matches(['#', ...patterns], words.slice(1)))
  return words.length > 0 && (pattern === '*' || pattern === words[0]) && matches(patterns, words.slice(1))
}
