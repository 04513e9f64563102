import type { Message } from '../../../src/core/message.ts'
import type { Faults } from '../../../src/transports/memory/memory.ts'
import type { Transport } from '../../../src/transports/seam.ts'

/**
 * The four ways in which brokers make a message somebody's.
 *
 *   lease     A lock that expires: SQS, Service Bus, PostgreSQL, Redis, our own embedded queue.
 *   tag       A channel and its delivery tags; what is unacknowledged comes back when the channel ends: RabbitMQ.
 *   log       A partition for one member of the group; a committed offset; a new generation takes everything away: Kafka.
 *   pending   Given out until it is acknowledged or a timer runs out, whoever is still connected: NATS JetStream.
 */
export type Family = 'lease' | 'tag' | 'log' | 'pending'

export interface SimConnection {
  readonly transport: Transport
  /**
   * Whether a message is this connection's at the moment, as the broker sees it. Where only time takes a message away, which
   * nobody hears, always.
   */
  owns(id: string): boolean
}

/** A broker of one family, which outlives the processes of a simulation. */
export interface SimBroker {
  readonly family: Family
  /** A connection of one process, under faults of its own. */
  connect(faults: Faults): SimConnection
  /** A producer sends to a channel. */
  put(channel: string, message: Message): Promise<void>
  /** Messages of a channel that nobody has completed, delayed ones included. */
  left(channel: string): Promise<number>
  /** What is in a channel that nobody consumes. */
  messagesIn(channel: string): Promise<readonly Message[]>
  /** Makes a channel refuse everything. The result makes it well again. */
  refuse(channel: string): () => void
  /** What only this family does to its consumers: a log hands its partitions out anew. */
  disturb(): void
}
