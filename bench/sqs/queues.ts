import { SQS } from '@aws-sdk/client-sqs'
import { sqs } from '../../src/transports/sqs/sqs.ts'
import { channels, type Task } from '../library.ts'
import { orderMessage } from '../payload.ts'

/** Requests for messages that are under way at one time, for everybody; one brings ten at most. */
export const pollers = 5

export function openClient(url: string): SQS {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  return new SQS({ endpoint: url, region: 'us-east-1', credentials, useQueueUrlAsEndpoint: false })
}

export async function urlOf(client: SQS, { prefix }: Task, channel: string): Promise<string> {
  return (await client.getQueueUrl({ QueueName: prefix + channel })).QueueUrl ?? ''
}

/** The queues that Redrive makes and fills, which the others read as well. */
export async function fillQueues({ url, prefix, messages }: Task): Promise<void> {
  const transport = sqs({ endpoint: url, prefix })
  const { work, deadLetters } = channels
  const wanted = [
    { address: { name: deadLetters }, role: 'dead-letter' },
    { address: { name: work }, role: 'work', deadLetterTo: { name: deadLetters } },
  ] as const
  await transport.provision({ channels: wanted }, 'apply')
  for (let sent = 0; sent < messages; sent += 500) {
    const some = Array.from({ length: Math.min(500, messages - sent) }, (_, index) => sent + index)
    await Promise.all(some.map((order) => transport.send({ name: work }, orderMessage(order))))
  }
  await transport.close()
}

/** Then both queues go: a server with thousands of messages that nobody needs is slower for whoever comes next. */
export async function lettersIn(task: Task): Promise<number> {
  const client = openClient(task.url)
  try {
    const [left = 0, letters = 0] = [await countAndDelete(channels.work), await countAndDelete(channels.deadLetters)]
    if (left > 0) throw new Error(`${left} messages are left.`)
    return letters
  } finally {
    client.destroy()
  }

  async function countAndDelete(channel: string): Promise<number> {
    const QueueUrl = await urlOf(client, task, channel)
    const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const
    const { Attributes = {} } = await client.getQueueAttributes({ QueueUrl, AttributeNames: [...AttributeNames] })
    await client.deleteQueue({ QueueUrl })
    return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name]), 0)
  }
}
