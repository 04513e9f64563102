import { RedriveError } from '../../core/errors.ts'
import type { Finding, Topology, WantedChannel } from '../topology.ts'
import type { Api } from './api.ts'
import { sqsCapabilities } from './capabilities.ts'
import { differences, finding } from './compare.ts'
import { queueNameOf } from './names.ts'
import type { Settings } from './options.ts'
import { factsOf, type QueueFacts } from './queue-facts.ts'
import { limitFor, queueOfArn, writeRedrivePolicy } from './redrive-policy.ts'

/** What Amazon keeps a message for at most, in seconds: letters wait for people. */
const fourteenDays = 14 * 24 * 3600

/** Compares the channels with the queues that are there, and creates those that are missing, dead-letter queues first. */
export async function provision(
  api: Api,
  settings: Settings,
  { channels }: Topology,
  mode: 'check' | 'apply',
): Promise<readonly Finding[]> {
  const nameOf = (wanted: Pick<WantedChannel, 'address'>): string => queueNameOf(wanted.address, settings)
  refuseSharedNames(channels, nameOf)
  const known = new Map<string, Promise<QueueFacts | undefined>>()
  const facts = (name: string): Promise<QueueFacts | undefined> => {
    const asked = known.get(name) ?? factsOf(api, name)
    known.set(name, asked)
    return asked
  }
  const findings: Finding[] = []
  for (const wanted of gravesFirst(channels)) {
    const name = nameOf(wanted)
    if ((await facts(name)) !== undefined) continue
    if (mode === 'apply') {
      const grave = wanted.deadLetterTo && (await facts(queueNameOf(wanted.deadLetterTo, settings)))
      await create(api, name, attributesFor(wanted, grave, settings))
      known.delete(name)
      findings.push(finding('created', wanted.address, 'channel-created', 'was created.'))
    } else findings.push(finding('missing', wanted.address, 'channel-missing', 'does not exist; apply creates it.'))
  }
  for (const wanted of channels) findings.push(...(await compare(wanted, facts, settings)))
  return findings
}

async function compare(
  wanted: WantedChannel,
  facts: (name: string) => Promise<QueueFacts | undefined>,
  settings: Settings,
): Promise<Finding[]> {
  const found = await facts(queueNameOf(wanted.address, settings))
  if (found === undefined) return []
  const grave = wanted.deadLetterTo && (await facts(queueNameOf(wanted.deadLetterTo, settings)))
  const target = found.redrivePolicy && (await facts(queueOfArn(found.redrivePolicy.targetArn)))
  const capabilities = sqsCapabilities(settings.queues, settings.maxMessage)
  return differences({ wanted, facts: found, grave, targetExists: target !== undefined, capabilities })
}

/** A redrive policy can only name a queue that is there. */
function gravesFirst(channels: readonly WantedChannel[]): readonly WantedChannel[] {
  return [...channels.filter(({ role }) => role !== 'work'), ...channels.filter(({ role }) => role === 'work')]
}

/** Names lose what SQS does not take; two channels in one queue would take each other's messages. */
function refuseSharedNames(channels: readonly WantedChannel[], nameOf: (wanted: WantedChannel) => string): void {
  const owners = new Map<string, string>()
  for (const wanted of channels) {
    const owner = owners.get(nameOf(wanted))
    if (owner !== undefined && owner !== wanted.address.name)
      throw new RedriveError(
        'bad-option',
        `${owner} and ${wanted.address.name} would be one queue, ${nameOf(wanted)}: rename one.`,
      )
    owners.set(nameOf(wanted), wanted.address.name)
  }
}

function attributesFor(
  { role, maxTurns = 1 }: WantedChannel,
  grave: QueueFacts | undefined,
  { queues: kind }: Settings,
): Record<string, string> {
  const policy = grave && { targetArn: grave.arn, maxReceiveCount: limitFor(maxTurns) }
  return {
    ...(kind === 'fifo' && { FifoQueue: 'true' }),
    ...(role !== 'work' && { MessageRetentionPeriod: String(fourteenDays) }),
    ...(policy && { RedrivePolicy: writeRedrivePolicy(policy) }),
  }
}

async function create(api: Api, name: string, attributes: Record<string, string>): Promise<void> {
  await api.ask((sqs, options) => sqs.createQueue({ QueueName: name, Attributes: attributes }, options))
}
