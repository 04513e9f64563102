import { RedriveError } from '../core/errors.ts'
import { longestDelay, maxTurns, type Policy } from '../core/policy.ts'
import type { Finding, Topology, WantedChannel } from '../transports/topology.ts'
import type { ChannelSettings } from './channel-options.ts'

/** Everything that these channels need on the broker, each once. */
export function topologyOf(
  channels: readonly { settings: ChannelSettings; policies: readonly Policy[]; lanes: boolean }[],
): Topology {
  const wanted = new Map<string, WantedChannel>()
  for (const { settings, policies, lanes } of channels) {
    const { name, group, deadLetter, invalid, ttl } = settings
    if (deadLetter !== undefined) wanted.set(deadLetter, { address: { name: deadLetter }, role: 'dead-letter' })
    if (invalid !== undefined && !wanted.has(invalid)) wanted.set(invalid, { address: { name: invalid }, role: 'invalid' })
    wanted.set(name, {
      address: { name, ...(group !== undefined && { group }) },
      role: 'work',
      ...(deadLetter !== undefined && { deadLetterTo: { name: deadLetter } }),
      maxTurns: Math.max(...policies.map(maxTurns)),
      maxRetryDelay: Math.max(...policies.map(longestDelay)),
      ...(ttl !== undefined && { ttl }),
      lanes,
    })
  }
  return { channels: [...wanted.values()] }
}

/** A consumer that starts although a failing message has nowhere to go would lose it at the worst moment. */
export function refuseUnsafe(findings: readonly Finding[]): void {
  const unsafe = findings.filter(({ severity }) => severity === 'fatal' || severity === 'missing')
  if (unsafe.length === 0) return
  const lines = unsafe.map(({ address, message }) => `  ${address.name}: ${message}`)
  throw new RedriveError('bad-topology', `the channels are not as this consumer needs them:\n${lines.join('\n')}`)
}
