import { RedriveError } from '../../core/errors.ts'
import { nameOf } from '../leases/name-of.ts'
import type { Address } from '../seam.ts'
import type { Finding, Topology, WantedChannel } from '../topology.ts'
import type { ChannelBook } from './channels.ts'
import { firstId, maxChannels } from './schema.ts'
import type { ChannelRow, WriterStatements } from './statements.ts'

/** Creates what is missing; what is there stays as it is. */
export function apply(wanted: Topology, channels: ChannelBook, statements: WriterStatements): Finding[] {
  const missing = wanted.channels.filter(({ address }) => channels.find(nameOf(address)) === undefined)
  for (const channel of missing) create(channel, statements)
  return [
    ...missing.map(({ address }) => finding('created', address, 'channel-created', 'was created.')),
    ...compare(wanted, channels),
  ]
}

function create({ address, deadLetterTo, ttl, lanes }: WantedChannel, statements: WriterStatements): void {
  const id = (statements.highestChannel.get()?.id ?? 0) + 1
  if (id > maxChannels) throw new RedriveError('bad-topology', `A database holds at most ${maxChannels} channels.`)
  const grave = deadLetterTo ? nameOf(deadLetterTo) : null
  statements.addChannel.run(id, nameOf(address), grave, ttl ?? null, lanes ? 1 : 0, firstId(id))
}

/** What a check tells of a file that nobody has made yet: to look must not make it. */
export function allMissing({ channels }: Topology): Finding[] {
  return channels.map(({ address }) => missing(address))
}

function missing(address: Address): Finding {
  return finding('missing', address, 'channel-missing', 'does not exist; apply creates it.')
}

/** Everything in which the file differs from what is wanted. */
export function compare(wanted: Topology, channels: ChannelBook): Finding[] {
  return wanted.channels.flatMap((channel) => {
    const found = channels.find(nameOf(channel.address))
    if (found) return [...graveFindings(channel, found, channels), ...settingFindings(channel, found)]
    return [missing(channel.address)]
  })
}

function graveFindings({ address, deadLetterTo }: WantedChannel, found: ChannelRow, channels: ChannelBook): Finding[] {
  if (found.ttl !== null && found.dead_letter_to === null) {
    const why = 'has a time to live and no dead-letter channel: nothing expires there, since it would be lost.'
    return [finding('fatal', address, 'expiry-loses', why)]
  }
  if (!deadLetterTo) return []
  const grave = nameOf(deadLetterTo)
  if (found.dead_letter_to !== grave) {
    return [finding('fatal', address, 'dead-letter-differs', `does not dead-letter to ${grave}: create it anew.`)]
  }
  if (channels.find(grave)) return []
  return [finding('fatal', address, 'dead-letter-missing', `dead-letters to ${grave}, which does not exist.`)]
}

function settingFindings({ address, ttl, lanes }: WantedChannel, found: ChannelRow): Finding[] {
  const findings: Finding[] = []
  if ((ttl ?? null) !== found.ttl) {
    const lifetime = found.ttl === null ? 'has no time to live' : `has a time to live of ${found.ttl} ms`
    findings.push(finding('warning', address, 'ttl-differs', `${lifetime}: create it anew.`))
  }
  if (lanes && found.lanes === 0) {
    findings.push(finding('warning', address, 'lanes-differ', 'does not keep messages of one key in order: create it anew.'))
  }
  return findings
}

function finding(severity: Finding['severity'], address: Address, what: string, message: string): Finding {
  return { severity, address, what, message: `${nameOf(address)} ${message}` }
}
