import { type Duration, parseDuration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'
import { durationWithin, secret, text, wholeNumber } from '../../core/option-checks.ts'
import { type Check, readOptions } from '../../core/options.ts'
import type { ServicebusOptions } from './options.ts'

/** The section `ServiceBusConnector` of an application's settings, as seed 001 has it. */
export interface ServiceBusConnector {
  readonly ConnectionString: string
  readonly QueueName: string
  /** Default: 16. */
  readonly PrefetchCount?: number
  /** Default: 5. */
  readonly MaxConcurrentCalls?: number
  /** Such as `00:00:05`, which is also the default. */
  readonly MaxWaitTime?: Duration
  /** Our limit, not the queue's. Default: 3. */
  readonly MaxDeliveryCount?: number
  /** Must be `false`: whatever fails would be completed. */
  readonly AutoComplete?: boolean
  /** Must be `PeekLock`: a message that is deleted when it is received cannot be dead-lettered. */
  readonly ReceiveMode?: string
}

/** What it means here: the options of the transport, and those of a channel. */
export interface Connected {
  readonly transport: ServicebusOptions
  readonly channel: {
    readonly name: string
    readonly options: {
      readonly prefetch: number
      readonly concurrency: number
      readonly maxDeliveryCount: number
      readonly retry: {
        readonly delayed: { readonly backoff: { readonly first: number; readonly max: number; readonly jitter: number } }
      }
      /** The delivery count of the service is compared, to the letter. */
      readonly poison: 'deliveries'
    }
  }
}

const keys = [
  ...(['ConnectionString', 'QueueName', 'PrefetchCount', 'MaxConcurrentCalls', 'MaxWaitTime'] as const),
  ...(['MaxDeliveryCount', 'AutoComplete', 'ReceiveMode'] as const),
]

export function fromConnector(section: ServiceBusConnector): Connected {
  const given = readOptions(section, keys, 'ServiceBusConnector')
  given.read('AutoComplete', notAutomatic, false)
  given.read('ReceiveMode', peekLock, 'PeekLock')
  given.read('MaxWaitTime', durationWithin({ min: '1ms', max: '1h' }), parseDuration('00:00:05', 'MaxWaitTime'))
  return {
    // A retry is an abandon: it comes back at once, and the service counts it.
    transport: { connectionString: given.required('ConnectionString', secret(4000)), retry: 'abandon' },
    channel: {
      name: given.required('QueueName', text(260)),
      options: {
        prefetch: given.read('PrefetchCount', wholeNumber({ min: 1, max: 100_000 }), 16),
        concurrency: given.read('MaxConcurrentCalls', wholeNumber({ min: 1, max: 10_000 }), 5),
        maxDeliveryCount: given.read('MaxDeliveryCount', wholeNumber({ min: 1, max: 100 }), 3),
        retry: { delayed: { backoff: { first: 0, max: 0, jitter: 0 } } },
        poison: 'deliveries',
      },
    },
  }
}

const notAutomatic: Check<boolean> = (value, where) => {
  if (value === false) return value
  throw new RedriveError(
    'bad-option',
    `${where} must be false: with AutoComplete a message is completed whatever became of it, and nothing reaches the dead-letter queue.`,
  )
}

const peekLock: Check<string> = (value, where) => {
  if (value === 'PeekLock') return value
  throw new RedriveError(
    'bad-option',
    `${where} must be "PeekLock": with ReceiveAndDelete a message is gone before it was processed, and a crash loses it.`,
  )
}
