import type { BrokerName } from '../scripts/brokers/recipe.ts'
import { type Broker, type StartOptions, startBroker } from '../scripts/brokers/start.ts'

/** A broker of a test starts fast and compiles little; here it has the compiler and the room that it has wherever it is run for long. */
const lasting: StartOptions = { settings: ['-XX:TieredStopAtLevel=4', '-Xmx1g'] }

export const startKafka = (): Promise<Broker> => shared('kafka', 'REDRIVE_BENCH_KAFKA', lasting)
/** What it confirms is in the memory of the machine, and on its disk half a second later: as it is shipped. */
export const startRocketmq = (): Promise<Broker> => shared('rocketmq', 'REDRIVE_BENCH_ROCKETMQ', lasting)
/** Writes everything to its disk before it confirms it, and so does Redis. */
export const startElasticmq = (): Promise<Broker> => shared('elasticmq', 'REDRIVE_BENCH_SQS', lasting)
export const startRedis = (): Promise<Broker> => shared('redis', 'REDRIVE_BENCH_REDIS')
/** As it is shipped: what it confirms is on its disk. */
export const startPostgres = (): Promise<Broker> => shared('postgres', 'REDRIVE_BENCH_POSTGRES')
export const startRabbitmq = (plugins: readonly string[] = []): Promise<Broker> =>
  shared('rabbitmq', 'REDRIVE_BENCH_RABBITMQ', { version: '4.0', plugins })
/** The test server. */
export const startServicebus = (): Promise<Broker> => shared('servicebus', 'REDRIVE_BENCH_SERVICEBUS')

/** One private broker for all contenders, whose processes find it in their environment. */
async function shared(name: BrokerName, variable: string, options: StartOptions = {}): Promise<Broker> {
  const broker = await startBroker(name, options)
  process.env[variable] = broker.url
  if (broker.managementUrl !== undefined) process.env[`${variable}_MANAGEMENT`] = broker.managementUrl
  return broker
}
