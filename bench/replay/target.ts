import { createVhost, type Vhost } from '../../test/brokers/rabbitmq.ts'
import { brokerOfBench, workArguments, workQueue } from '../rabbitmq/queues.ts'

/** The queue that letters go back to, in a virtual host of its own. */
export interface Target {
  readonly vhost: Vhost
  /** How many messages are ready in it. */
  arrived(): Promise<number>
  /** Refuses to end while anything is missing: who loses letters is not fast. */
  remove(expected: number): Promise<void>
}

export async function createTarget(): Promise<Target> {
  const vhost = await createVhost(brokerOfBench())
  await vhost.barely((channel) => channel.assertQueue(workQueue, { durable: true, arguments: workArguments.quorum }))
  const arrived = (): Promise<number> => vhost.barely(async (channel) => (await channel.checkQueue(workQueue)).messageCount)
  return {
    vhost,
    arrived,
    async remove(expected) {
      const found = await arrived()
      await vhost.remove()
      if (found !== expected) throw new Error(`${found} of ${expected} messages are in the queue.`)
    },
  }
}
