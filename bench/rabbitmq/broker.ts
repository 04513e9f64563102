import { type Broker, startBroker } from '../../scripts/brokers/start.ts'

/** One private broker for all contenders, whose processes find it in their environment. */
export async function startRabbitmq(): Promise<Broker> {
  const broker = await startBroker('rabbitmq', { version: '4.0' })
  process.env['REDRIVE_BENCH_RABBITMQ'] = broker.url
  process.env['REDRIVE_BENCH_RABBITMQ_MANAGEMENT'] = broker.managementUrl
  return broker
}
