import type { Finding, Topology, WantedChannel } from '../topology.ts'
import type { Ask } from './admin.ts'
import { compareQueue } from './compare-queue.ts'
import type { Link } from './connection.ts'
import { type DelayNames, type Delays, levelOf } from './delay.ts'
import { findingAbout } from './finding.ts'
import { inspectQueue, queueExists } from './inspect-queue.ts'
import type { Management } from './management.ts'
import type { Settings } from './options.ts'
import { argumentsFor, type QueueArguments } from './queue-arguments.ts'

export interface Provisioning {
  readonly ask: Ask
  readonly delays: Delays
  readonly names: DelayNames
  readonly management: Management | undefined
  readonly settings: Settings
  readonly link: Link
}

/** First everything that is missing is created, then everything is compared: a grave may stand behind its work queue. */
export async function provision(world: Provisioning, wanted: Topology, mode: 'check' | 'apply'): Promise<readonly Finding[]> {
  const { version } = await world.link.session()
  const findings: Finding[] = []
  const existing: WantedChannel[] = []
  for (const channel of wanted.channels) {
    const found = await createOrTell(world, channel, version, mode)
    if (found) findings.push(found)
    if (found?.severity !== 'missing') existing.push(channel)
  }
  for (const channel of existing) findings.push(...(await compare(world, channel, version)))
  return [...findings, ...(await provideDelays(world, existing, mode))]
}

async function createOrTell(
  { ask, settings }: Provisioning,
  wanted: WantedChannel,
  version: string,
  mode: 'check' | 'apply',
): Promise<Finding | undefined> {
  const { name } = wanted.address
  const tell = findingAbout(wanted.address)
  if (await queueExists(ask, name)) return undefined
  if (mode === 'check') return tell('missing', 'channel-missing', 'does not exist; apply creates it.')
  const options = { durable: true, arguments: argumentsFor(wanted, settings.queueType, version) }
  await ask(`queue "${name}"`, (channel) => channel.assertQueue(name, options))
  return tell('created', 'channel-created', `was created as a ${settings.queueType} queue.`)
}

async function compare(world: Provisioning, wanted: WantedChannel, version: string): Promise<readonly Finding[]> {
  const { ask, management, settings } = world
  const { name } = wanted.address
  const found = await inspectQueue(ask, name, argumentsFor(wanted, settings.queueType, version))
  const policy = (await management?.queue(name))?.effective_policy_definition ?? {}
  const effective = underPolicy(found, policy)
  const { 'x-dead-letter-exchange': exchange } = effective
  return compareQueue(wanted, effective, {
    queueType: settings.queueType,
    version,
    graveExists: wanted.deadLetterTo === undefined || (await queueExists(ask, wanted.deadLetterTo.name)),
    exchange: typeof exchange === 'string' && exchange !== '' ? await inspectExchange(world, exchange) : undefined,
  })
}

/** An argument wins over a policy, except that of two numbers the lower one counts. */
function underPolicy(found: QueueArguments, policy: QueueArguments): QueueArguments {
  const effective: Record<string, string | number | boolean> = { ...found }
  for (const [key, value] of Object.entries(policy)) {
    const own = found[`x-${key}`]
    const isLower = typeof own === 'number' && typeof value === 'number' && value < own
    if (own === undefined || isLower) effective[`x-${key}`] = value
  }
  return effective
}

/** `destinations` is absent where nobody can tell: AMQP has no question for bindings. */
async function inspectExchange({ ask, management }: Provisioning, name: string): Promise<DeadLetterExchange> {
  const exists = await ask(`exchange "${name}"`, (channel) => channel.checkExchange(name)).then(
    () => true,
    (error) => {
      if (error.code === 'unknown-channel') return false
      throw error
    },
  )
  const bindings = exists ? await management?.bindingsFrom(name) : undefined
  return { exists, ...(bindings && { destinations: bindings.map(({ destination }) => destination) }) }
}

export interface DeadLetterExchange {
  readonly exists: boolean
  readonly destinations?: readonly string[]
}

async function provideDelays(
  { delays, names }: Provisioning,
  channels: readonly WantedChannel[],
  mode: 'check' | 'apply',
): Promise<readonly Finding[]> {
  const delayed = channels.filter(({ maxRetryDelay = 0 }) => maxRetryDelay > 0)
  const [first] = delayed
  if (!first) return []
  const level = Math.max(...delayed.map(({ maxRetryDelay = 0 }) => levelOf(maxRetryDelay)))
  const tell = findingAbout(first.address)
  const exists = await delays.exists(level)
  if (mode === 'check') {
    const message = `cannot delay retries: the queue ${names.level(level)} does not exist; apply creates it.`
    return exists ? [] : [tell('missing', 'delay-missing', message)]
  }
  for (const { address } of delayed) await delays.prepare(address.name, level)
  return exists
    ? []
    : [tell('created', 'delay-created', `can delay retries now: ${names.level(level)} and those below were created.`)]
}
