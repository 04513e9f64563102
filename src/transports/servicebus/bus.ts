import type { ServiceBusAdministrationClient, ServiceBusClient, ServiceBusReceiver, ServiceBusSender } from '@azure/service-bus'
import { RedriveError } from '../../core/errors.ts'
import type { Address } from '../seam.ts'
import { createAdmin } from './admin.ts'
import { type Library, loadLibrary } from './library.ts'
import type { Settings } from './options.ts'
import { sdkError, within } from './sdk-errors.ts'

/** The connection to a namespace, made on first use. The SDK connects anew by itself when it breaks. */
export interface Bus {
  readonly library: Library
  readonly client: ServiceBusClient
  readonly admin: ServiceBusAdministrationClient
  sender(address: Address): ServiceBusSender
  /** One that looks and settles, and has no link of its own. */
  desk(address: Address): ServiceBusReceiver
  /** One that receives. */
  openReceiver(address: Address): ServiceBusReceiver
  close(): Promise<void>
}

export async function openBus(settings: Settings): Promise<Bus> {
  const library = await loadLibrary()
  const { access } = settings
  // One attempt each: whether to try again is not for a transport to say. Links that receive come back by themselves, sooner each time.
  const retryOptions = { maxRetries: 0, timeoutInMs: settings.answerWithin, retryDelayInMs: 250, maxRetryDelayInMs: 5000 }
  const { ServiceBusClient: Client } = library.sdk
  const client =
    'connectionString' in access
      ? new Client(access.connectionString, { retryOptions })
      : new Client(access.namespace, access.credential, { retryOptions })
  const admin = createAdmin(library, settings)
  const senders = new Map<string, ServiceBusSender>()
  const desks = new Map<string, ServiceBusReceiver>()

  function openReceiver({ name, group, part }: Address): ServiceBusReceiver {
    // Renewal of the SDK goes by message ids, and two equal ones stop each other's: we renew by lock.
    const options = { maxAutoLockRenewalDurationInMs: 0, skipParsingBodyAsJson: true, skipConvertingDate: true } as const
    const all = part === undefined ? options : ({ ...options, subQueueType: 'deadLetter' } as const)
    return group === undefined ? client.createReceiver(name, all) : client.createReceiver(name, group, all)
  }

  return {
    library,
    client,
    admin,
    sender({ name, group, part }) {
      if (part !== undefined)
        throw new RedriveError('unsupported', 'Nothing can be sent to a dead-letter sub-queue: reject a delivery instead.')
      if (group !== undefined)
        throw new RedriveError(
          'unsupported',
          'Service Bus cannot send to one subscription alone: a topic gives it to all of them.',
        )
      const entity = name.replace(subscription, '')
      const sender = senders.get(entity) ?? client.createSender(entity)
      senders.set(entity, sender)
      return sender
    },
    desk(address) {
      const path = pathOf(address)
      const desk = desks.get(path) ?? openReceiver(address)
      desks.set(path, desk)
      return desk
    },
    openReceiver,
    async close() {
      await within(settings.clock, settings.answerWithin, 'unsure', client.close()).catch(() => {})
    },
  }
}

/** Dead letters name the subscription that they died in; what is sent back goes to its topic. */
const subscription = /\/subscriptions\/[^/]+$/i

/** The address as the service writes it. */
export function pathOf({ name, group, part }: Address): string {
  const entity = group === undefined ? name : `${name}/Subscriptions/${group}`
  return part === undefined ? entity : `${entity}/$DeadLetterQueue`
}

/** A question whose failure has changed nothing. */
export async function ask<T>(settings: Settings, about: string, question: () => Promise<T>): Promise<T> {
  try {
    return await within(settings.clock, settings.answerWithin, 'unreachable', question())
  } catch (cause) {
    throw sdkError(cause, about, 'unreachable')
  }
}
