import type { BatchResultErrorEntry, Message, SendMessageBatchRequestEntry, SQS } from '@aws-sdk/client-sqs'
import { handleAll, nextTurn, type Outcome } from '../by-hand.ts'
import { letterByHand } from '../letter-by-hand.ts'
import { channels, fails, type Library } from '../library.ts'
import type { Order } from '../payload.ts'
import { fillQueues, lettersIn, openClient, pollers, urlOf } from './queues.ts'

interface Queues {
  readonly work: string
  readonly deadLetters: string
}

/**
 * What a careful engineer writes on the SDK: several polls at a time, each for ten messages, which are parsed, handled and deleted by one
 * request while the next ten are on their way. Letters are sent first, and every entry of an answer is looked at. It renews no
 * visibility, waits for no retry, and knows nothing of what came twice.
 */
export const library: Library = {
  fill: fillQueues,
  letters: lettersIn,
  async consume(task, progress) {
    const client = openClient(task.url)
    const queues: Queues = {
      work: await urlOf(client, task, channels.work),
      deadLetters: await urlOf(client, task, channels.deadLetters),
    }
    let isClosed = false
    const settling = new Set<Promise<void>>()

    async function poll(): Promise<void> {
      while (!isClosed) {
        const messages = await receive(client, queues.work)
        if (messages.length > 0) keep(handleAndSettle(messages))
      }
    }

    async function handleAndSettle(messages: readonly Message[]): Promise<void> {
      await settle(client, queues, messages, await handleAll(messages, { orderIn, fails: fails(task) }, progress))
    }

    function keep(promise: Promise<void>): void {
      settling.add(promise)
      void promise.then(() => settling.delete(promise))
    }

    const polling = Array.from({ length: pollers }, poll)
    return {
      async settled() {
        await nextTurn()
        await Promise.all(settling)
      },
      async close() {
        isClosed = true
        await Promise.all(polling)
        client.destroy()
      },
    }
  },
}

async function receive(client: SQS, QueueUrl: string): Promise<readonly Message[]> {
  const { Messages = [] } = await client.receiveMessage({
    ...{ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, VisibilityTimeout: 30 },
    ...{ MessageAttributeNames: ['All'], MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp'] },
  })
  return Messages
}

async function settle(
  client: SQS,
  { work, deadLetters }: Queues,
  messages: readonly Message[],
  outcomes: readonly Outcome[],
): Promise<void> {
  const letters = messages.flatMap((message, index) => {
    const error = outcomes[index]
    return error ? [{ ...letterOf(message, error), Id: String(index) }] : []
  })
  if (letters.length > 0) check(await client.sendMessageBatch({ QueueUrl: deadLetters, Entries: letters }))
  const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }))
  check(await client.deleteMessageBatch({ QueueUrl: work, Entries }))
}

/** A message has ten attributes: they take one of them. */
function letterOf(
  { Body, MessageAttributes, MessageId = '', Attributes }: Message,
  error: Error,
): Pick<SendMessageBatchRequestEntry, 'MessageBody' | 'MessageAttributes'> {
  const attempts = Number(Attributes?.ApproximateReceiveCount)
  const told = letterByHand(error, { id: MessageId, channel: channels.work, attempts, deliveries: attempts })
  const failure = { DataType: 'String', StringValue: JSON.stringify(told) }
  return { MessageBody: Body, MessageAttributes: { ...MessageAttributes, failure } }
}

function check({ Failed = [] }: { readonly Failed?: readonly BatchResultErrorEntry[] | undefined }): void {
  if (Failed.length > 0) throw new Error(`${Failed.length} entries failed: ${Failed[0]?.Code}`)
}

function orderIn({ Body = '' }: Message): Order {
  return JSON.parse(Body)
}
