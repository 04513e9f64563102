import moleculerChannels from '@moleculer/channels'
import { until } from '../../test/until.ts'
import { channels, inHand, type Library } from '../library.ts'
import { moleculerOn } from '../moleculer.ts'
import { orderMessage } from '../payload.ts'
import { openClient } from './streams.ts'

const group = 'bench'

/** It deletes nothing: what was acknowledged stays in the stream. */
export const library: Library = {
  async fill({ url, prefix, messages }) {
    const client = openClient(url)
    await client.xgroup('CREATE', prefix + channels.work, group, '0', 'MKSTREAM')
    for (let sent = 0; sent < messages; sent += 2000) {
      const pipeline = client.pipeline()
      for (let order = sent; order < Math.min(messages, sent + 2000); order++)
        pipeline.xadd(prefix + channels.work, '*', 'payload', Buffer.from(orderMessage(order).body ?? []))
      await pipeline.exec()
    }
    client.disconnect()
  },
  async letters({ url, prefix }) {
    const client = openClient(url)
    const letters = await client.xlen(prefix + channels.deadLetters)
    client.disconnect()
    return letters
  },
  async consume({ url, prefix, work }, progress) {
    const adapter = new moleculerChannels.Adapters.Redis({ redis: url, maxInFlight: inHand } as never)
    const broker = moleculerOn(adapter)
    broker.createService({
      name: 'bench',
      channels: {
        [prefix + channels.work]: {
          group,
          maxInFlight: inHand,
          redis: { startID: '0', readTimeoutInternal: 0 },
          maxRetries: work === 'dead-letter' ? 0 : 3,
          deadLettering: { enabled: work === 'dead-letter', queueName: prefix + channels.deadLetters },
          async handler() {
            progress.began()
            progress.handled()
            if (work === 'dead-letter') throw new Error('this one never works')
          },
        },
      },
    } as never)
    await broker.start()
    const observer = openClient(url)
    const pending = async (): Promise<number> => Number((await observer.xpending(prefix + channels.work, group))[0])
    return {
      settled: () => until('everything is acknowledged', async () => (await pending()) === 0),
      async close() {
        observer.disconnect()
        await broker.stop()
      },
    }
  },
}
