import { hasCode } from '../../core/errors.ts'
import type { Api } from './api.ts'
import { type RedrivePolicy, readRedrivePolicy } from './redrive-policy.ts'

/** What a queue says about itself. A member is absent where the server does not tell. */
export interface QueueFacts {
  readonly arn: string
  /** Milliseconds. */
  readonly retention?: number
  /** Bytes. */
  readonly maxMessage?: number
  readonly redrivePolicy?: RedrivePolicy
}

/** `undefined`: there is no such queue. */
export async function factsOf(api: Api, name: string): Promise<QueueFacts | undefined> {
  try {
    const { QueueUrl } = await api.ask((sqs, options) => sqs.getQueueUrl({ QueueName: name }, options))
    const { Attributes = {} } = await api.ask((sqs, options) =>
      sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] }, options),
    )
    const retention = Number(Attributes.MessageRetentionPeriod) * 1000
    const maxMessage = Number(Attributes.MaximumMessageSize)
    const redrivePolicy = readRedrivePolicy(Attributes.RedrivePolicy)
    return {
      arn: Attributes.QueueArn ?? '',
      ...(retention > 0 && { retention }),
      ...(maxMessage > 0 && { maxMessage }),
      ...(redrivePolicy && { redrivePolicy }),
    }
  } catch (error) {
    if (hasCode(error, 'unknown-channel')) return undefined
    throw error
  }
}
