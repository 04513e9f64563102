import { azureServiceBus } from './readers/azure-service-bus.ts'
import { brighter, brighterKafka } from './readers/brighter.ts'
import { camel } from './readers/camel.ts'
import { dapr } from './readers/dapr.ts'
import { gcpPubsub } from './readers/gcp-pubsub.ts'
import { generic } from './readers/generic.ts'
import { kafkaConnect } from './readers/kafka-connect.ts'
import { kafkaShareGroup } from './readers/kafka-share-group.ts'
import { kafkaStreams } from './readers/kafka-streams.ts'
import { kafkaflow } from './readers/kafkaflow.ts'
import { masstransit } from './readers/masstransit.ts'
import { moleculerChannels } from './readers/moleculer-channels.ts'
import { natsAdvisory } from './readers/nats-advisory.ts'
import { nservicebus } from './readers/nservicebus.ts'
import { onex } from './readers/onex.ts'
import { pgBoss } from './readers/pg-boss.ts'
import { rabbitmq } from './readers/rabbitmq.ts'
import { rascal } from './readers/rascal.ts'
import { redriveReader } from './readers/redrive.ts'
import { rocketmq } from './readers/rocketmq.ts'
import { smallrye } from './readers/smallrye.ts'
import { springAmqp } from './readers/spring-amqp.ts'
import { springCloudStream } from './readers/spring-cloud-stream.ts'
import { springKafka } from './readers/spring-kafka.ts'
import { springRetryTopic } from './readers/spring-retry-topic.ts'
import { sqs } from './readers/sqs.ts'
import { uforwarder } from './readers/uforwarder.ts'
import { watermill } from './readers/watermill.ts'
import { wolverine } from './readers/wolverine.ts'
import type { DialectReader } from './reading.ts'

/**
 * In the order in which they are asked, the first that recognises a letter being believed: those that can be certain before those that
 * guess, frameworks before the brokers under them, which know less, and our own dialects before all, because a message that died
 * elsewhere and was replayed may still bear what was written then.
 */
export const dialectReaders: readonly DialectReader[] = [
  onex,
  brighterKafka,
  brighter,
  redriveReader,
  nservicebus,
  masstransit,
  springKafka,
  springRetryTopic,
  kafkaConnect,
  kafkaStreams,
  kafkaShareGroup,
  smallrye,
  watermill,
  kafkaflow,
  rascal,
  springAmqp,
  moleculerChannels,
  camel,
  gcpPubsub,
  natsAdvisory,
  azureServiceBus,
  sqs,
  rocketmq,
  rabbitmq,
  springCloudStream,
  wolverine,
  pgBoss,
  dapr,
  uforwarder,
  generic,
]
