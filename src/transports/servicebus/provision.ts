import type { CreateQueueOptions, QueueProperties, SubscriptionProperties } from '@azure/service-bus'
import type { Address } from '../seam.ts'
import type { Finding, Topology, WantedChannel } from '../topology.ts'
import { ask, type Bus, pathOf } from './bus.ts'
import { compare } from './compare.ts'
import { durationText } from './iso-duration.ts'
import type { Settings } from './options.ts'

export type Entity = QueueProperties | SubscriptionProperties

/** Above the limit of the policy: releases and holds count at the service, and are no attempts. */
export const roomAboveTurns = 10
/** What a new entity allows at least: nobody wants the service to give up before we do. */
const fewestDeliveries = 100

/** A sub-queue is there when its entity is, so those come last. */
export async function provision(
  bus: Bus,
  settings: Settings,
  wanted: Topology,
  mode: 'check' | 'apply',
): Promise<readonly Finding[]> {
  const parts = wanted.channels.filter(({ address }) => address.part !== undefined)
  const entities = wanted.channels.filter(({ address }) => address.part === undefined)
  const findings: Finding[] = []
  for (const channel of [...entities, ...parts]) findings.push(...(await provisionOne(bus, settings, channel, mode)))
  return findings
}

async function provisionOne(
  bus: Bus,
  settings: Settings,
  channel: WantedChannel,
  mode: 'check' | 'apply',
): Promise<readonly Finding[]> {
  const { address } = channel
  const found = await find(bus, settings, address)
  if (found === 'not-allowed') return [unseen(address)]
  if (found) return differences(bus, settings, channel, found)
  if (mode === 'check' || address.part !== undefined) return [missing(address)]
  // What somebody else made meanwhile is looked at like anything else that is there.
  if (!(await create(bus, settings, channel))) return provisionOne(bus, settings, channel, 'check')
  const made = await find(bus, settings, address)
  const different = made && made !== 'not-allowed' ? await differences(bus, settings, channel, made) : []
  return [{ severity: 'created', address, what: 'channel-created', message: `${pathOf(address)} was created.` }, ...different]
}

/** Replays of a subscription are sent to its topic: whether duplicates are dropped is a setting of that. */
async function differences(bus: Bus, settings: Settings, channel: WantedChannel, entity: Entity): Promise<readonly Finding[]> {
  const { name, group, part } = channel.address
  if (group === undefined || part !== undefined) return compare(channel, entity, settings)
  const topic = await seen(settings, name, () => bus.admin.getTopic(name))
  const found = compare(channel, entity, settings, topic === 'not-allowed' ? undefined : topic)
  return topic === 'not-allowed' ? [...found, unseen({ name })] : found
}

export async function find(
  { admin }: Bus,
  settings: Settings,
  { name, group }: Address,
): Promise<Entity | 'not-allowed' | undefined> {
  return seen<Entity>(settings, name, () => (group === undefined ? admin.getQueue(name) : admin.getSubscription(name, group)))
}

/** Without the right to manage nothing can be seen of an entity: that is not the same as its not being there. */
function seen<T>(settings: Settings, name: string, question: () => Promise<T>): Promise<T | 'not-allowed' | undefined> {
  return ask(settings, name, async () => {
    try {
      return await question()
    } catch (cause) {
      const { statusCode } = cause as { statusCode?: number }
      if (statusCode === 404) return undefined
      if (statusCode === 401 || statusCode === 403) return 'not-allowed'
      throw cause
    }
  })
}

/** Tells whether it was made by us. */
async function create(
  bus: Bus,
  settings: Settings,
  { address, deadLetterTo, ttl, maxTurns = 0 }: WantedChannel,
): Promise<boolean> {
  const { admin } = bus
  const { name, group } = address
  const forward = deadLetterTo && deadLetterTo.part === undefined ? await find(bus, settings, deadLetterTo) : undefined
  const options: CreateQueueOptions = {
    lockDuration: durationText(settings.lockDuration),
    maxDeliveryCount: Math.max(fewestDeliveries, maxTurns + roomAboveTurns),
    requiresSession: settings.sessions,
    ...(ttl !== undefined && { defaultMessageTimeToLive: durationText(ttl) }),
    // What nobody took in time is a letter, and not nothing.
    deadLetteringOnMessageExpiration: true,
    ...(forward && deadLetterTo && { forwardDeadLetteredMessagesTo: deadLetterTo.name }),
  }
  return ask(settings, pathOf(address), async () => {
    if (group === undefined) return isOurs(admin.createQueue(name, options))
    if (!(await admin.topicExists(name))) await isOurs(admin.createTopic(name))
    return isOurs(admin.createSubscription(name, group, options))
  })
}

/** Whether what exists then is what was asked for here, and not by another replica that applies at the same time and was quicker. */
async function isOurs(creation: Promise<unknown>): Promise<boolean> {
  try {
    await creation
    return true
  } catch (cause) {
    const { statusCode } = cause as { statusCode?: number }
    if (statusCode === 409) return false
    throw cause
  }
}

function missing(address: Address): Finding {
  const message = `${pathOf(address)} does not exist: create it, or let redrive apply the topology.`
  return { severity: 'missing', address, what: 'channel-missing', message }
}

function unseen(address: Address): Finding {
  const message = `${pathOf(address)} cannot be looked at: that needs the right to manage. Check its settings in the portal.`
  return { severity: 'unknown', address, what: 'not-allowed', message }
}
