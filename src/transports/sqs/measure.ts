import type { Address, Measure } from '../seam.ts'
import type { Api } from './api.ts'
import type { Queues } from './queues.ts'

const counts = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const

/** Amazon calls its own numbers approximate: they settle within a minute after the last change. It tells no age. */
export async function measure(api: Api, queues: Queues, address: Address): Promise<Measure> {
  const { url } = await queues.find(address)
  const { Attributes = {} } = await api.ask((sqs, options) =>
    sqs.getQueueAttributes({ QueueUrl: url, AttributeNames: [...counts, 'MessageRetentionPeriod'] }, options),
  )
  const retained = counts.reduce((sum, name) => sum + (Number(Attributes[name]) || 0), 0)
  const keepsFor = Number(Attributes.MessageRetentionPeriod) * 1000
  return { retained, pending: retained, ...(keepsFor > 0 && { keepsFor }) }
}
