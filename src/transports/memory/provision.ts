import { nameOf } from '../leases/name-of.ts'
import type { Address } from '../seam.ts'
import type { Finding, Topology, WantedChannel } from '../topology.ts'
import type { MemoryBroker } from './broker.ts'
import type { ChannelSettings } from './channel.ts'

export function provision(broker: MemoryBroker, wanted: Topology, mode: 'check' | 'apply'): readonly Finding[] {
  const created = mode === 'apply' ? wanted.channels.filter((channel) => createIfMissing(broker, channel)) : []
  return [
    ...created.map(({ address }) => finding('created', address, 'channel-created', 'was created.')),
    ...wanted.channels.flatMap((channel) => compare(broker, channel)),
  ]
}

function createIfMissing(broker: MemoryBroker, wanted: WantedChannel): boolean {
  if (broker.find(wanted.address) !== undefined) return false
  const { address, deadLetterTo, ttl, lanes } = wanted
  broker.create({ address, deadLetterTo, ttl: ttl ?? Number.POSITIVE_INFINITY, lanes: lanes ?? false })
  return true
}

function compare(broker: MemoryBroker, wanted: WantedChannel): Finding[] {
  const { address } = wanted
  const existing = broker.find(address)
  if (existing === undefined) return [finding('missing', address, 'channel-missing', 'does not exist; apply creates it.')]
  return [...deadLetterFindings(broker, wanted, existing.settings), ...settingFindings(wanted, existing.settings)]
}

function deadLetterFindings(broker: MemoryBroker, wanted: WantedChannel, existing: ChannelSettings): Finding[] {
  const { address, deadLetterTo } = wanted
  if (existing.ttl !== Number.POSITIVE_INFINITY && existing.deadLetterTo === undefined) {
    return [finding('fatal', address, 'expiry-loses', 'has a time to live and no dead-letter channel: what expires is lost.')]
  }
  if (deadLetterTo === undefined) return []
  if (existing.deadLetterTo === undefined || nameOf(existing.deadLetterTo) !== nameOf(deadLetterTo)) {
    return [finding('fatal', address, 'dead-letter-differs', `does not dead-letter to ${nameOf(deadLetterTo)}: create it anew.`)]
  }
  if (broker.find(deadLetterTo) !== undefined) return []
  return [finding('fatal', address, 'dead-letter-missing', `dead-letters to ${nameOf(deadLetterTo)}, which does not exist.`)]
}

function settingFindings(wanted: WantedChannel, existing: ChannelSettings): Finding[] {
  const { address, ttl = Number.POSITIVE_INFINITY, lanes = false } = wanted
  const findings: Finding[] = []
  if (ttl !== existing.ttl) findings.push(finding('warning', address, 'ttl-differs', `has a time to live of ${existing.ttl} ms.`))
  if (lanes && !existing.lanes) {
    findings.push(finding('warning', address, 'lanes-differ', 'does not keep messages of one key in order: create it anew.'))
  }
  return findings
}

function finding(severity: Finding['severity'], address: Address, what: string, message: string): Finding {
  return { severity, address, what, message: `${nameOf(address)} ${message}` }
}
