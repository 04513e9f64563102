import { hasCode } from '../../core/errors.ts'
import type { Address } from '../seam.ts'
import type { Api } from './api.ts'
import { queueNameOf } from './names.ts'
import type { Settings } from './options.ts'

/** A queue as it was found. */
export interface Queue {
  readonly name: string
  readonly url: string
  /** What a message may weigh in it, in bytes. */
  readonly maxMessage: number
}

export interface Queues {
  /** Rejects with `unknown-channel` when there is none. */
  find(address: Address): Promise<Queue>
  /** It is not there any more. */
  forget(queue: Queue): void
}

/** Queues by their names, each asked for once. */
export function createQueues(api: Api, settings: Settings): Queues {
  const found = new Map<string, Promise<Queue>>()

  async function look(name: string): Promise<Queue> {
    const { QueueUrl: url = '' } = await api.ask((sqs, options) => sqs.getQueueUrl({ QueueName: name }, options))
    return { name, url, maxMessage: (await limitOf(url)) ?? settings.maxMessage }
  }

  /** Who may send need not be allowed to ask for attributes. */
  async function limitOf(url: string): Promise<number | undefined> {
    const AttributeNames = ['MaximumMessageSize' as const]
    try {
      const { Attributes } = await api.ask((sqs, options) => sqs.getQueueAttributes({ QueueUrl: url, AttributeNames }, options))
      return Number(Attributes?.MaximumMessageSize) || undefined
    } catch (error) {
      if (hasCode(error, 'access-denied') || hasCode(error, 'refused') || hasCode(error, 'bad-message')) return undefined
      throw error
    }
  }

  return {
    find(address) {
      const name = queueNameOf(address, settings)
      const known = found.get(name)
      if (known) return known
      const looking = look(name)
      found.set(name, looking)
      looking.catch(() => found.delete(name))
      return looking
    },
    forget({ name }) {
      found.delete(name)
    },
  }
}
