import type { QueueArguments } from './queue-arguments.ts'

/** A policy or an operator policy, as the management API lists it. */
export interface BrokerPolicy {
  readonly name: string
  readonly pattern: string
  readonly 'apply-to': string
  readonly priority: number
  readonly definition: QueueArguments
}

export interface Policies {
  readonly user: readonly BrokerPolicy[]
  readonly operator: readonly BrokerPolicy[]
}

/** What policies do to one queue. */
export interface InForce {
  readonly definition: QueueArguments
  /** The policies that made it, as a person would name them. */
  readonly by: string
  /** Policies whose pattern is written in a way that only the broker can read, so that nobody here knows whether they apply. */
  readonly unreadable: readonly string[]
}

/**
 * The broker shows the policy of a queue only with its statistics, seconds late and at first not at all; the list of all policies
 * is never late. So the one with the highest priority is found here, by the broker's own rules.
 */
export function policiesFor(queue: { readonly name: string; readonly type: string }, { user, operator }: Policies): InForce {
  const winners = [strongest(user, queue), strongest(operator, queue)].filter((policy) => policy !== undefined)
  return {
    definition: winners.reduce<QueueArguments>((merged, { definition }) => lowerOf(merged, definition), {}),
    by: winners.map(({ name }) => name).join(' and '),
    unreadable: [...user, ...operator].filter(({ pattern }) => !readable(pattern)).map(({ name }) => name),
  }
}

function strongest(policies: readonly BrokerPolicy[], queue: { name: string; type: string }): BrokerPolicy | undefined {
  return policies
    .filter((policy) => appliesTo(policy, queue.type) && readable(policy.pattern)?.test(queue.name))
    .toSorted((one, other) => other.priority - one.priority)[0]
}

function appliesTo(policy: BrokerPolicy, type: string): boolean {
  return ['all', 'queues', `${type}_queues`].includes(policy['apply-to'])
}

function readable(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return undefined
  }
}

/** Of two numbers the lower one counts; else the first that says anything. */
function lowerOf(first: QueueArguments, second: QueueArguments): QueueArguments {
  const merged: Record<string, string | number | boolean> = { ...second }
  for (const [key, own] of Object.entries(first)) {
    const other = second[key]
    merged[key] = typeof own === 'number' && typeof other === 'number' ? lower(own, other) : own
  }
  return merged
}

/** Below zero there is no limit, and any limit is lower than that. */
function lower(one: number, other: number): number {
  return one < 0 || other < 0 ? Math.max(one, other) : Math.min(one, other)
}

/**
 * What a queue is in effect: an argument of its own wins over a policy, except that of two numbers the lower one counts, and that a policy says what
 * a quorum queue does when it is full.
 */
export function underPolicy(found: QueueArguments, policy: QueueArguments): QueueArguments {
  const { overflow } = policy
  const merged = lowerOf(found, Object.fromEntries(Object.entries(policy).map(([key, value]) => [`x-${key}`, value])))
  return overflow !== undefined && found['x-queue-type'] === 'quorum' ? { ...merged, 'x-overflow': overflow } : merged
}

/** Keys by which a policy can lose or lose track of messages. A dead-letter exchange is compared as if the queue itself named it. */
const harmful = ['message-ttl', 'expires', 'max-length', 'max-length-bytes', 'overflow', 'delivery-limit']

/** What a policy makes different from what the queue was declared with. */
export function overrides(found: QueueArguments, policy: QueueArguments): readonly string[] {
  const effective = underPolicy(found, policy)
  return harmful.filter((key) => key in policy && effective[`x-${key}`] !== found[`x-${key}`])
}
