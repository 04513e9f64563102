import channels from '@moleculer/channels'
import type { Consumer } from 'kafkajs'
import { moleculerOn } from '../moleculer.ts'
import { committed } from './committed.ts'
import type { Consume } from './task.ts'

const partitions = 4

/** It commits after each message, and has no setting for that. */
export const consume: Consume = async ({ url, topic, group, messages }, progress) => {
  const adapter = new channels.Adapters.Kafka({ kafka: { brokers: [url], logLevel: 0 } } as never)
  const broker = moleculerOn(adapter)
  broker.createService({
    name: 'bench',
    channels: {
      [topic]: {
        group,
        kafka: { groupId: group, fromBeginning: true, partitionsConsumedConcurrently: partitions },
        async handler() {
          progress.began()
          progress.handled()
        },
      },
    },
  } as never)
  await broker.start()
  const [consumer] = [...(adapter as unknown as { consumers: Map<string, Consumer> }).consumers.values()]
  if (!consumer) throw new Error('The channel has no consumer.')
  const all = committed(consumer, messages)
  return { settled: () => all, close: () => broker.stop() }
}
