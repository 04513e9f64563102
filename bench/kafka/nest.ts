import { Logger } from '@nestjs/common'
import { ServerKafka } from '@nestjs/microservices'
import { type Consumer, type Kafka, logLevel } from 'kafkajs'
import type { Order } from '../payload.ts'
import { committed } from './committed.ts'
import type { Consume } from './task.ts'

const batchSize = 200
const partitions = 4

/** Its server for Kafka, which runs kafkajs. It has no dead letters, so it only succeeds. */
export const consume: Consume = async ({ url, topic, group, messages }, progress) => {
  Logger.overrideLogger(false)
  const server = new ServerKafka({
    postfixId: '',
    client: { clientId: 'nest', brokers: [url], logLevel: logLevel.NOTHING },
    consumer: { groupId: group, maxWaitTimeInMs: 250 },
    subscribe: { fromBeginning: true },
    run: { autoCommitThreshold: batchSize, partitionsConsumedConcurrently: partitions },
  })
  const handler = async (order: Order): Promise<void> => {
    progress.began()
    if (order.order >= 0) progress.handled()
  }
  server.addHandler(topic, handler as never, true)
  const listening = Promise.withResolvers<void>()
  void server.listen((error?: unknown) => (error ? listening.reject(error) : listening.resolve()))
  await listening.promise
  const [, consumer] = server.unwrap<[Kafka, Consumer]>()
  const all = committed(consumer, messages)
  return { settled: () => all, close: () => server.close() }
}
