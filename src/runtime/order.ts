import { formatDuration } from '../core/duration.ts'
import { RedriveError } from '../core/errors.ts'
import { longestDelay, maxTurns } from '../core/policy.ts'
import type { Transport } from '../transports/seam.ts'
import type { DeclaredChannel } from './topology.ts'

/** Whether messages of one key run one after the other on this channel. */
export function keepsOrder({ settings, handlers }: DeclaredChannel, transport: Transport): boolean {
  if (settings.order === 'none') return false
  if (settings.order !== undefined) return true
  return transport.capabilities.ordering === 'lane' && [...handlers.values()].some(({ isKeyed }) => isKeyed)
}

/** The same over all processes, which only a broker can keep. */
export function keepsOrderEverywhere(declaration: DeclaredChannel, transport: Transport): boolean {
  return declaration.settings.order !== 'per-process' && keepsOrder(declaration, transport)
}

/** What the user declared and this broker cannot keep is said before the first message, not found out by a wrong order. */
export function refuseImpossible(declaration: DeclaredChannel, transport: Transport): void {
  const { settings, handlers } = declaration
  const { ordering, retry } = transport.capabilities
  const where = `channel ${JSON.stringify(settings.name)}`
  const hasKey = [...handlers.values()].some(({ isKeyed }) => isKeyed)
  if (ordering === 'none' && (settings.order === 'lane' || (hasKey && settings.order === undefined))) {
    throw new RedriveError(
      'bad-option',
      `${where}: messages have a key, but ${transport.name} hands messages of one key to several consumers at once. Write order: 'per-process' if order within one process is enough, or order: 'none'.`,
    )
  }
  const copiesOvertake = retry.by === 'copy' && !retry.inPlace && keepsOrderEverywhere(declaration, transport)
  for (const [type, { policy }] of handlers) {
    if (copiesOvertake && maxTurns(policy) > 1) {
      throw new RedriveError(
        'bad-option',
        `${where}, type ${JSON.stringify(type)}: messages of one key stay in order, but a delayed retry on ${transport.name} is a copy, which later messages of its key overtake. Write retry: { delayed: { retries: 0 } } and retry at once, or order: 'none'.`,
      )
    }
    const longest = longestDelay(policy)
    if (longest > retry.maxDelay) {
      throw new RedriveError(
        'bad-option',
        `${where}, type ${JSON.stringify(type)}: retry.delayed.backoff.max with its jitter is ${formatDuration(longest)}; ${transport.name} can delay by at most ${formatDuration(retry.maxDelay)}`,
      )
    }
  }
}
