import { type ConnectionOptions, Queue, Worker } from 'bullmq'
import { channels, inHand, type Library, type Task } from '../library.ts'
import { orderMessage } from '../payload.ts'

function placeOf({ url, prefix }: Task): { readonly connection: ConnectionOptions; readonly prefix: string } {
  const { hostname: host, port } = new URL(url)
  return { connection: { host, port: Number(port), maxRetriesPerRequest: null }, prefix }
}

/** It keeps what failed in a set of its own, and completed jobs only where it is told to. */
export const library: Library = {
  async fill(task) {
    const queue = new Queue(channels.work, placeOf(task))
    for (let sent = 0; sent < task.messages; sent += 2000) {
      const orders = Array.from({ length: Math.min(2000, task.messages - sent) }, (_, index) => sent + index)
      const data = (order: number) => JSON.parse(new TextDecoder().decode(orderMessage(order).body ?? new Uint8Array()))
      await queue.addBulk(orders.map((order) => ({ name: 'order', data: data(order), opts: { removeOnComplete: true } })))
    }
    await queue.close()
  },
  async letters(task) {
    const queue = new Queue(channels.work, placeOf(task))
    const failed = await queue.getFailedCount()
    await queue.close()
    return failed
  },
  async consume(task, progress) {
    const run = async (): Promise<void> => {
      progress.began()
      if (task.work === 'dead-letter') throw new Error('this one never works')
    }
    const worker = new Worker(channels.work, run, { ...placeOf(task), concurrency: inHand })
    worker.on('error', () => {})
    // Each is told when the server has taken it.
    worker.on('completed', () => progress.handled())
    worker.on('failed', () => progress.handled())
    await worker.waitUntilReady()
    return { settled: async () => {}, close: () => worker.close() }
  },
}
