import { PgBoss } from 'pg-boss'
import { channels, inHand, type Library, type Task } from '../library.ts'
import { orderMessage } from '../payload.ts'
import { withClient } from './bare.ts'
import { inPortions } from './in-portions.ts'

async function opened({ url, prefix: schema }: Task): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: url, schema, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  return boss
}

/**
 * Batches of as many as the others have in hand, two workers that take turns, and no pause while there is more. It keeps what was
 * completed, as it does for everybody, until its maintenance deletes it.
 */
export const library: Library = {
  async fill(task) {
    const boss = await opened(task)
    await boss.createQueue(channels.deadLetters)
    await boss.createQueue(channels.work, { deadLetter: channels.deadLetters, retryLimit: 0 })
    await inPortions(task.messages, (orders) =>
      boss.insert(
        channels.work,
        orders.map((order) => ({ data: JSON.parse(new TextDecoder().decode(orderMessage(order).body ?? new Uint8Array())) })),
      ),
    )
    await boss.stop({ graceful: false })
  },

  letters: ({ url, prefix: schema }) =>
    withClient(url, async (client) => {
      const { rows } = await client.query(`SELECT count(*) FROM ${schema}.job WHERE name = $1`, [channels.deadLetters])
      return Number(rows[0].count)
    }),

  async consume(task, progress) {
    const boss = await opened(task)
    const settled = Promise.withResolvers<void>()
    const options = { batchSize: inHand / 2, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 } as const
    const counted = (jobs: readonly object[]): void => {
      for (const _ of jobs) {
        progress.began()
        progress.handled()
      }
    }
    if (task.work === 'succeed')
      await boss.work(channels.work, options, async (jobs) => {
        counted(jobs)
      })
    else
      await boss.work(channels.work, { ...options, perJobResults: true }, async (jobs) => {
        counted(jobs)
        return jobs.map(({ id }) => ({ id, status: 'deadletter' as const, output: { message: 'this one never works' } }))
      })
    return {
      async settled() {
        // A graceful stop waits for the handlers and what they have to settle.
        await boss.stop({ graceful: true })
        settled.resolve()
      },
      close: () => settled.promise,
    }
  },
}
