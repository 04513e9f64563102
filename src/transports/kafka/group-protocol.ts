import type { GroupMember, Place } from './assign.ts'
import type { Kafka } from './library.ts'

/**
 * Kafka's own format for consumers, so that its tools can show who reads what; under a name of ours, so that a consumer that is not
 * ours cannot join. It would commit without notes, and what we know about crashes would be gone.
 */
export const protocolName = 'redrive'
export const protocolType = 'consumer'
/** The first one that says in which generation a member got what it has. */
const version = 2

export function writeSubscription(kafka: Kafka, topics: readonly string[], owned: readonly Place[], generation: number): Buffer {
  return kafka.encodeConsumerProtocolSubscription({
    version,
    topics: [...topics],
    userData: Buffer.alloc(0),
    ownedPartitions: byTopic(owned),
    generationId: generation,
  })
}

export function readSubscription(kafka: Kafka, id: string, metadata: Buffer): GroupMember {
  const { topics, ownedPartitions, generationId } = kafka.decodeConsumerProtocolSubscription(metadata)
  return { id, topics, owned: placesOf(ownedPartitions), generation: generationId }
}

export function writeAssignment(kafka: Kafka, places: readonly Place[]): Buffer {
  return kafka.encodeConsumerProtocolAssignment({ version, assignedPartitions: byTopic(places), userData: null })
}

export function readAssignment(kafka: Kafka, assignment: Buffer): readonly Place[] {
  return placesOf(kafka.decodeConsumerProtocolAssignment(assignment).assignedPartitions)
}

/** As requests want it: each topic once. */
export function byTopic(places: readonly Place[]): { topic: string; partitions: number[] }[] {
  const topics = new Map<string, number[]>()
  for (const { topic, partition } of places) topics.set(topic, [...(topics.get(topic) ?? []), partition])
  return [...topics].map(([topic, partitions]) => ({ topic, partitions }))
}

function placesOf(topics: readonly { readonly topic: string; readonly partitions: readonly number[] }[]): readonly Place[] {
  return topics.flatMap(({ topic, partitions }) => partitions.map((partition): Place => ({ topic, partition })))
}
