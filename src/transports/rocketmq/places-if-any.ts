import { hasCode } from '../../core/errors.ts'
import type { Cluster, QueuePlace } from './cluster.ts'

/** Where a topic stands; nowhere, where there is none. That of a group's retries is made by the broker when it has the first. */
export function placesIfAny(cluster: Cluster, topic: string): Promise<readonly QueuePlace[]> {
  return cluster.queuesOf(topic).catch((error) => {
    if (hasCode(error, 'unknown-channel')) return []
    throw error
  })
}
