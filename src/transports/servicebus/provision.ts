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
  if (found) return compare(channel, found, settings)
  if (mode === 'check' || address.part !== undefined) return [missing(address)]
  await create(bus, settings, channel)
  const made = await find(bus, settings, address)
  const differences = made && made !== 'not-allowed' ? compare(channel, made, settings) : []
  return [{ severity: 'created', address, what: 'channel-created', message: `${pathOf(address)} was created.` }, ...differences]
}

/** Without the right to manage nothing can be seen of an entity: that is not the same as its not being there. */
export async function find(
  { admin }: Bus,
  settings: Settings,
  { name, group }: Address,
): Promise<Entity | 'not-allowed' | undefined> {
  return ask(settings, name, async () => {
    try {
      return await (group === undefined ? admin.getQueue(name) : admin.getSubscription(name, group))
    } catch (cause) {
      const { statusCode } = cause as { statusCode?: number }
      if (statusCode === 404) return undefined
      if (statusCode === 401 || statusCode === 403) return 'not-allowed'
      throw cause
    }
  })
}

async function create(bus: Bus, settings: Settings, { address, deadLetterTo, ttl, maxTurns = 0 }: WantedChannel): Promise<void> {
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
  await ask(settings, pathOf(address), async () => {
    if (group === undefined) return admin.createQueue(name, options)
    if (!(await admin.topicExists(name))) await admin.createTopic(name)
    return admin.createSubscription(name, group, options)
  })
}

function missing(address: Address): Finding {
  const message = `${pathOf(address)} does not exist: create it, or let redrive apply the topology.`
  return { severity: 'missing', address, what: 'channel-missing', message }
}

function unseen(address: Address): Finding {
  const message = `${pathOf(address)} cannot be looked at: that needs the right to manage. Check its settings in the portal.`
  return { severity: 'unknown', address, what: 'not-allowed', message }
}
