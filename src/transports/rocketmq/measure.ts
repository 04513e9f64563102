import type { Measure } from '../seam.ts'
import { pull } from './browse.ts'
import { longestHold } from './capabilities.ts'
import type { Cluster, QueuePlace } from './cluster.ts'
import { type Channel, retryTopicOf } from './names.ts'
import { consumedOf, rangeOf } from './offsets.ts'
import type { Settings } from './options.ts'
import { placesIfAny } from './places-if-any.ts'

/**
 * Counts offsets. On a `fifo` topic a group's offset stays behind what is held. On others it moves on when something is given out, and the
 * broker tells nobody what is held: what this process holds, or has hidden for a retry, is added, and of others nothing is known.
 */
export async function measure(
  cluster: Cluster,
  { topics }: Pick<Settings, 'topics'>,
  channel: Channel,
  ours: number,
): Promise<Measure> {
  const places = await cluster.queuesOf(channel.topic)
  const retries = await placesIfAny(cluster, retryTopicOf(channel))
  const parts = await Promise.all([...places, ...retries].map((place) => partOf(cluster, place, channel.group)))
  const times = parts.map(({ oldestAt }) => oldestAt).filter((time) => time !== undefined)
  const waiting = parts.reduce((sum, part) => sum + part.waiting, 0)
  const isHeldSeen = topics === 'fifo'
  const pending = waiting + (isHeldSeen ? 0 : ours)
  return {
    retained: Math.max(
      pending,
      parts.slice(0, places.length).reduce((sum, { kept }) => sum + kept, 0),
    ),
    pending,
    ...(times.length > 0 && { oldestAt: Math.min(...times) }),
    ...(!isHeldSeen && { heldUnseen: longestHold }),
  }
}

interface Part {
  readonly kept: number
  readonly waiting: number
  readonly oldestAt?: number
}

async function partOf(cluster: Cluster, place: QueuePlace, group: string): Promise<Part> {
  const [{ start, end }, consumed] = await Promise.all([rangeOf(cluster, place), consumedOf(cluster, place, group)])
  const from = Math.max(start, consumed ?? start)
  const waiting = Math.max(0, end - from)
  if (waiting === 0) return { kept: end - start, waiting }
  const { messages } = await pull(cluster, place, from, 1)
  const [first] = messages
  return { kept: end - start, waiting, ...(first && { oldestAt: first.bornAt }) }
}
