import { findJars, installJars } from './maven.ts'

/** Spring Kafka and Kafka Connect, whose dead letters our readers must understand. No brokers: they are only installed. */
const [name, version] = ['kafka-writers', '4.1.1-4.3.1']

export class MissingKafkaWriters extends Error {
  constructor() {
    super('Spring Kafka and Kafka Connect are not on this machine. Get them with: npm run brokers -- install kafka-writers')
    this.name = 'MissingKafkaWriters'
  }
}

export function installKafkaWriters(): Promise<void> {
  return installJars(name, version, ['default-jdk-headless'])
}

export function findKafkaWriters(): string | undefined {
  return findJars(name, version)
}
