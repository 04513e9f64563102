import type { Channel } from 'amqplib'
import { RedriveError } from '../../core/errors.ts'
import type { Ask } from './admin.ts'
import { isAccessRefused, isNotFound, isPreconditionFailed } from './amqp-errors.ts'
import type { Blueprint, ExchangePart, QueuePart } from './blueprint.ts'
import { declareExchange, declareQueue } from './declare.ts'

/** How an exchange or a queue of ours stands on the broker. `unseen`: it is there, and this user may not compare it. */
export interface PartState {
  readonly kind: 'exchange' | 'queue'
  readonly name: string
  readonly state: 'there' | 'missing' | 'differs' | 'unseen'
  /** Of what differs: which argument, in the words of the broker. */
  readonly difference?: string
}

/** All at once: each is asked about on a channel of its own, because the broker says "no" by closing it. */
export function inspectParts(ask: Ask, { exchanges, queues }: Blueprint): Promise<readonly PartState[]> {
  return Promise.all([
    ...exchanges.map((exchange) => inspectExchangePart(ask, exchange)),
    ...queues.map((queue) => inspectQueuePart(ask, queue)),
  ])
}

function inspectExchangePart(ask: Ask, part: ExchangePart): Promise<PartState> {
  return inspect(ask, { kind: 'exchange', name: part.name }, async (channel) => {
    // To declare what does not exist would create it.
    await channel.checkExchange(part.name)
    await declareExchange(channel, part)
  })
}

function inspectQueuePart(ask: Ask, part: QueuePart): Promise<PartState> {
  return inspect(ask, { kind: 'queue', name: part.name }, async (channel) => {
    await channel.checkQueue(part.name)
    await declareQueue(channel, part)
  })
}

async function inspect(
  ask: Ask,
  part: Pick<PartState, 'kind' | 'name'>,
  compare: (channel: Channel) => Promise<void>,
): Promise<PartState> {
  try {
    await ask(`${part.kind} "${part.name}"`, compare)
    return { ...part, state: 'there' }
  } catch (error) {
    const cause = error instanceof RedriveError ? error.cause : undefined
    if (isNotFound(cause)) return { ...part, state: 'missing' }
    if (isAccessRefused(cause)) return { ...part, state: 'unseen' }
    if (isPreconditionFailed(cause)) return { ...part, state: 'differs', difference: differenceIn(cause) }
    throw error
  }
}

function differenceIn(cause: unknown): string {
  const [, argument] = /inequivalent arg '([^']+)'/.exec(cause instanceof Error ? cause.message : '') ?? []
  return argument ?? 'its arguments'
}
