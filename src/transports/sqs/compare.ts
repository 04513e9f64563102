import type { Capabilities } from '../capabilities.ts'
import type { Address } from '../seam.ts'
import type { Finding, WantedChannel } from '../topology.ts'
import type { QueueFacts } from './queue-facts.ts'
import { queueOfArn, type RedrivePolicy, spareReceives } from './redrive-policy.ts'

/** A channel, its queue, and what is known about the queues around it. */
export interface Compared {
  readonly wanted: WantedChannel
  readonly facts: QueueFacts
  /** The queue that the channel's dead letters go to, where it exists. */
  readonly grave: QueueFacts | undefined
  /** Whether the queue exists that the redrive policy names. */
  readonly targetExists: boolean
  readonly capabilities: Capabilities
}

const day = 24 * 3_600_000

/** Every way in which a queue that exists is not as it is wanted. Pure. */
export function differences(compared: Compared): Finding[] {
  return [...wishes(compared), ...redrivePolicy(compared), ...retention(compared), ...sizes(compared)]
}

/** What no queue of this kind can do. */
function wishes({ wanted, capabilities }: Compared): Finding[] {
  const { address, ttl, lanes } = wanted
  const findings: Finding[] = []
  if (ttl !== undefined) {
    findings.push(
      finding('warning', address, 'ttl-not-kept', 'deletes what is too old, and dead-letters none of it: leave ttl out.'),
    )
  }
  if (lanes && capabilities.ordering === 'none') {
    findings.push(finding('warning', address, 'lanes-unsupported', "keeps no order: use a transport with queues: 'fifo'."))
  }
  return findings
}

function redrivePolicy({ wanted, facts, grave, targetExists }: Compared): Finding[] {
  const { address, deadLetterTo, role } = wanted
  if (role !== 'work' || deadLetterTo === undefined) return []
  const policy = facts.redrivePolicy
  if (policy) return [...target(wanted, policy, grave, targetExists), ...receiveLimit(wanted, policy)]
  const message = `has no redrive policy: what kills whoever receives it comes for ever. Set one that names ${deadLetterTo.name}.`
  return [finding('warning', address, 'redrive-policy-missing', message)]
}

function target(
  { address, deadLetterTo }: WantedChannel,
  { targetArn }: RedrivePolicy,
  grave: QueueFacts | undefined,
  exists: boolean,
): Finding[] {
  const queue = queueOfArn(targetArn)
  if (!exists) {
    const message = `names ${queue} in its redrive policy, which cannot be found: create it, or name another.`
    return [finding('warning', address, 'redrive-target-missing', message)]
  }
  if (!grave || grave.arn === targetArn) return []
  const message = `moves what was received too often to ${queue}, and not to ${deadLetterTo?.name}.`
  return [finding('warning', address, 'redrive-policy-differs', message)]
}

function receiveLimit({ address, maxTurns = 1 }: WantedChannel, { maxReceiveCount }: RedrivePolicy): Finding[] {
  const least = maxTurns + spareReceives
  if (maxReceiveCount >= least) return []
  const why = `gives a message up after ${maxReceiveCount} receives, without its failure, and restarts count too`
  return [finding('warning', address, 'receive-limit-too-low', `${why}: set maxReceiveCount to at least ${least}.`)]
}

/** Of what the server moves by itself, the age begins with the first send. */
function retention({ wanted: { address, deadLetterTo }, facts, grave }: Compared): Finding[] {
  if (deadLetterTo === undefined || facts.retention === undefined || grave?.retention === undefined) return []
  if (grave.retention >= facts.retention) return []
  const days = (ms: number): number => Math.round((ms / day) * 10) / 10
  const what = `keeps messages for ${days(grave.retention)} days, less than the ${days(facts.retention)} of ${address.name}`
  return [finding('warning', deadLetterTo, 'retention-shorter', `${what}: raise MessageRetentionPeriod to 14 days.`)]
}

function sizes({ wanted: { address, deadLetterTo, role }, facts, grave, capabilities }: Compared): Finding[] {
  const { maxMessage } = facts
  if (maxMessage === undefined) return []
  const ours = capabilities.messages.maxBody + 2 * capabilities.messages.maxHeaders
  const findings: Finding[] = []
  if (role === 'work' && maxMessage > ours) {
    const message = `takes messages of ${maxMessage} bytes, and letters may have ${ours}: set the option maxMessage to ${maxMessage}B.`
    findings.push(finding('warning', address, 'message-size-differs', message))
  }
  if (deadLetterTo && grave?.maxMessage !== undefined && grave.maxMessage < maxMessage) {
    const message = `takes ${grave.maxMessage} bytes, less than the ${maxMessage} of ${address.name}: raise MaximumMessageSize.`
    findings.push(finding('warning', deadLetterTo, 'dead-letter-size-smaller', message))
  }
  return findings
}

export function finding(severity: Finding['severity'], address: Address, what: string, message: string): Finding {
  return { severity, address, what, message: `${address.name} ${message}` }
}
