import { type Broker, startBroker } from '../../scripts/brokers/start.ts'

/** The same of Kafka. */
export async function startKafka(): Promise<Broker> {
  const broker = await startBroker('kafka')
  process.env['REDRIVE_BENCH_KAFKA'] = broker.url
  return broker
}

/** The same of Redis, which writes everything to its disk before it confirms it. */
export async function startRedis(): Promise<Broker> {
  const broker = await startBroker('redis')
  process.env['REDRIVE_BENCH_REDIS'] = broker.url
  return broker
}

/** The same of RocketMQ, as it is shipped: what it confirms is in the memory of the machine, and on its disk half a second later. */
export async function startRocketmq(): Promise<Broker> {
  const broker = await startBroker('rocketmq')
  process.env['REDRIVE_BENCH_ROCKETMQ'] = broker.url
  return broker
}

/** The same of ElasticMQ, which does so too. */
export async function startElasticmq(): Promise<Broker> {
  const broker = await startBroker('elasticmq')
  process.env['REDRIVE_BENCH_SQS'] = broker.url
  return broker
}

/** The same of PostgreSQL, as it is shipped: what it confirms is on its disk. */
export async function startPostgres(): Promise<Broker> {
  const broker = await startBroker('postgres')
  process.env['REDRIVE_BENCH_POSTGRES'] = broker.url
  return broker
}

/** One private broker for all contenders, whose processes find it in their environment. */
export async function startRabbitmq(plugins: readonly string[] = []): Promise<Broker> {
  const broker = await startBroker('rabbitmq', { version: '4.0', plugins })
  process.env['REDRIVE_BENCH_RABBITMQ'] = broker.url
  process.env['REDRIVE_BENCH_RABBITMQ_MANAGEMENT'] = broker.managementUrl
  return broker
}

/** The same of the test server for Service Bus. */
export async function startServicebus(): Promise<Broker> {
  const broker = await startBroker('servicebus')
  process.env['REDRIVE_BENCH_SERVICEBUS'] = broker.url
  process.env['REDRIVE_BENCH_SERVICEBUS_ADMIN'] = broker.managementUrl
  return broker
}
