import { type Broker, startBroker } from '../../scripts/brokers/start.ts'

/** The same of Kafka. */
export async function startKafka(): Promise<Broker> {
  const broker = await startBroker('kafka')
  process.env['REDRIVE_BENCH_KAFKA'] = broker.url
  return broker
}

/** One private broker for all contenders, whose processes find it in their environment. */
export async function startRabbitmq(): Promise<Broker> {
  const broker = await startBroker('rabbitmq', { version: '4.0' })
  process.env['REDRIVE_BENCH_RABBITMQ'] = broker.url
  process.env['REDRIVE_BENCH_RABBITMQ_MANAGEMENT'] = broker.managementUrl
  return broker
}
