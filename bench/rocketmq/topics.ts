import { rocketmq } from '../../src/transports/rocketmq/rocketmq.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { bareClient } from '../../test/brokers/rocketmq.ts'
import { prefixed } from '../../test/faults/harness/prefixed.ts'
import { channels, type Task } from '../library.ts'
import { orderMessage } from '../payload.ts'

/** Requests for messages that are under way at one time, for everybody, and how many each brings at most. */
export const pollers = 4
export const mostInOne = 32

export function groupOf({ prefix }: Task): string {
  return `${prefix}group`
}

/** Normal topics, as RocketMQ's own clients read them. */
export function openTransport(task: Task): Transport {
  return prefixed(rocketmq({ url: task.url, group: groupOf(task), pollFor: '1s' }), task.prefix)
}

/** The topics that Redrive makes and fills, which the others read as well. */
export async function fillTopics(task: Task): Promise<void> {
  const transport = openTransport(task)
  const { work, deadLetters } = channels
  const wanted = [
    { address: { name: deadLetters }, role: 'dead-letter' },
    { address: { name: work }, role: 'work', deadLetterTo: { name: deadLetters } },
  ] as const
  await transport.provision({ channels: wanted }, 'apply')
  for (let sent = 0; sent < task.messages; sent += 500) {
    const some = Array.from({ length: Math.min(500, task.messages - sent) }, (_, index) => sent + index)
    await Promise.all(some.map((order) => transport.send({ name: work }, orderMessage(order))))
  }
  await transport.close()
}

/** Then both topics go: nobody needs them any more. */
export async function lettersIn(task: Task): Promise<number> {
  const client = bareClient(task.url)
  const [work, deadLetters] = [task.prefix + channels.work, task.prefix + channels.deadLetters]
  const left = await client.lag(work, groupOf(task))
  if (left > 0) throw new Error(`${left} messages are left.`)
  const letters = [...(await client.endOf(deadLetters)).values()].reduce((sum, end) => sum + end, 0)
  for (const topic of [work, deadLetters]) await client.deleteTopic(topic)
  return letters
}
