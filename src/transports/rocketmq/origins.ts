import type { Message as WireMessage } from 'rocketmq-client-nodejs/proto/apache/rocketmq/v2/definition_pb.js'
import { pull } from './browse.ts'
import type { Cluster, QueuePlace } from './cluster.ts'
import type { Library } from './library.ts'
import { type Channel, retryTopicOf } from './names.ts'
import { placesIfAny } from './places-if-any.ts'

/**
 * The proxy does not tell where a letter in `%DLQ%group` came from, and without that nobody could send it back. The broker has it written on the
 * message as it is stored, so it is looked at there. What comes again is stored anew, with all that was written on it, where the group has its
 * retries. One that is not found any more stays as it came.
 */
export async function tellOrigins(
  cluster: Cluster,
  { definition }: Pick<Library, 'definition'>,
  channel: Channel,
  messages: readonly WireMessage[],
): Promise<void> {
  if (messages.length === 0) return
  const places = await cluster.queuesOf(channel.topic)
  const retries = messages.some(comesAgain) ? await placesIfAny(cluster, retryTopicOf(channel)) : []
  await Promise.all(
    messages.map(async (message) => {
      const stored = (await storedProperties(cluster, places, message)) ?? (await storedProperties(cluster, retries, message))
      const origin = stored?.get('DLQ_ORIGIN_TOPIC') ?? stored?.get('RETRY_TOPIC')
      if (origin === undefined) return
      const id = stored?.get('DLQ_ORIGIN_MESSAGE_ID') ?? stored?.get('ORIGIN_MESSAGE_ID') ?? ''
      message.getSystemProperties()?.setDeadLetterQueue(new definition.DeadLetterQueue().setTopic(origin).setMessageId(id))
    }),
  )
}

function comesAgain(message: WireMessage): boolean {
  return (message.getSystemProperties()?.getDeliveryAttempt() ?? 1) > 1
}

async function storedProperties(
  cluster: Cluster,
  places: readonly QueuePlace[],
  message: WireMessage,
): Promise<ReadonlyMap<string, string> | undefined> {
  const about = message.getSystemProperties()
  const offset = about?.getQueueOffset()
  const inQueue = places.filter(({ queue }) => queue === about?.getQueueId())
  const place = inQueue.find(({ at }) => at === about?.getStoreHost()) ?? inQueue[0]
  if (place === undefined || offset === undefined) return undefined
  const { messages } = await pull(cluster, place, offset, 1)
  return messages.find(({ properties }) => properties.get('UNIQ_KEY') === about?.getMessageId())?.properties
}
