import { RedriveError } from '../core/errors.ts'
import { longestDelay, maxTurns, type Policy } from '../core/policy.ts'
import type { Transport } from '../transports/seam.ts'
import type { Finding, Topology, WantedChannel } from '../transports/topology.ts'
import type { ChannelSettings } from './channel-options.ts'
import { keepsOrderEverywhere, refuseImpossible } from './order.ts'

/** A channel and what its handlers mean for the broker: all that a topology follows from, here and in the command line. */
export interface DeclaredChannel {
  readonly settings: ChannelSettings
  /** By message type. */
  readonly handlers: ReadonlyMap<string, HandlerNeeds>
}

export interface HandlerNeeds {
  readonly policy: Policy
  /** Whether messages of this type say what orders them. */
  readonly isKeyed: boolean
}

/** Everything that these channels need on the broker, each once. Refuses what this transport cannot do. */
export function topologyFor(channels: readonly DeclaredChannel[], transport: Transport): Topology {
  const wanted = new Map<string, WantedChannel>()
  for (const channel of channels) {
    refuseImpossible(channel, transport)
    const { deadLetter, invalid, name } = channel.settings
    if (deadLetter !== undefined) wanted.set(deadLetter, { address: { name: deadLetter }, role: 'dead-letter' })
    if (invalid !== undefined && !wanted.has(invalid)) wanted.set(invalid, { address: { name: invalid }, role: 'invalid' })
    wanted.set(name, workChannel(channel, keepsOrderEverywhere(channel, transport)))
  }
  return { channels: [...wanted.values()] }
}

function workChannel({ settings, handlers }: DeclaredChannel, lanes: boolean): WantedChannel {
  const { name, group, deadLetter, ttl } = settings
  const policies = [...handlers.values()].map(({ policy }) => policy)
  return {
    address: { name, ...(group !== undefined && { group }) },
    role: 'work',
    ...(deadLetter !== undefined && { deadLetterTo: { name: deadLetter } }),
    maxTurns: Math.max(...policies.map(maxTurns)),
    maxRetryDelay: Math.max(...policies.map(longestDelay)),
    ...(ttl !== undefined && { ttl }),
    lanes,
  }
}

/** A consumer that starts although a failing message has nowhere to go would lose it at the worst moment. */
export function refuseUnsafe(findings: readonly Finding[]): void {
  const unsafe = findings.filter(({ severity }) => severity === 'fatal' || severity === 'missing')
  if (unsafe.length === 0) return
  const lines = unsafe.map(({ address, message }) => `  ${address.name}: ${message}`)
  throw new RedriveError('bad-topology', `the channels are not as this consumer needs them:\n${lines.join('\n')}`)
}
