import { SQS } from '@aws-sdk/client-sqs'
import { onTestFinished } from 'vitest'
import type { Broker } from '../../scripts/brokers/start.ts'
import { until } from '../until.ts'

/** What others do with the same server. */
export function bareClient(url: string): SQS {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  return new SQS({ endpoint: url, region: 'us-east-1', credentials, useQueueUrlAsEndpoint: false })
}

/** The same, until the test ends. */
export function barely(url: string): SQS {
  const client = bareClient(url)
  onTestFinished(() => client.destroy())
  return client
}

/** ElasticMQ answers before it has found all of its queues again. */
export async function restartWithQueues(broker: Broker): Promise<void> {
  const client = bareClient(broker.url)
  const queues = async (): Promise<number> => (await client.listQueues({ MaxResults: 1000 })).QueueUrls?.length ?? 0
  const before = await queues()
  await broker.restart()
  await until('all queues are back', async () => (await queues().catch(() => 0)) >= before)
  client.destroy()
}
