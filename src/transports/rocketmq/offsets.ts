import { answers, type Cluster, codes, type QueuePlace } from './cluster.ts'

/** What stands in one queue. */
export interface QueueRange {
  /** The oldest that is kept. */
  readonly start: number
  /** Behind the newest. */
  readonly end: number
}

export async function rangeOf(cluster: Cluster, place: QueuePlace): Promise<QueueRange> {
  const [start, end] = await Promise.all([offset(cluster, place, codes.minOffset), offset(cluster, place, codes.maxOffset)])
  return { start, end }
}

async function offset(cluster: Cluster, { at, topic, queue }: QueuePlace, code: number): Promise<number> {
  const { fields } = await cluster.ask(at, { code, fields: { topic, queueId: String(queue) } })
  return Math.max(0, Number(fields['offset']) || 0)
}

/** Up to where a group was given what stands there; `undefined` where it was never given anything. */
export async function consumedOf(cluster: Cluster, { at, topic, queue }: QueuePlace, group: string): Promise<number | undefined> {
  const fields = { consumerGroup: group, topic, queueId: String(queue), setZeroIfNotFound: 'false' }
  const answer = await cluster.ask(at, { code: codes.consumerOffset, fields }, [answers.notFound])
  return answer.code === answers.notFound ? undefined : Number(answer.fields['offset'])
}

/** Otherwise a group that is new begins with what comes after its first question, and never sees what was sent before. */
export async function beginAtStart(cluster: Cluster, place: QueuePlace, group: string): Promise<void> {
  const { start } = await rangeOf(cluster, place)
  const { at, topic, queue } = place
  const fields = { consumerGroup: group, topic, queueId: String(queue), commitOffset: String(start) }
  await cluster.ask(at, { code: codes.setConsumerOffset, fields })
}
