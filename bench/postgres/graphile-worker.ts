import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { channels, inHand, type Library } from '../library.ts'
import { orderMessage } from '../payload.ts'
import { withClient } from './bare.ts'
import { inPortions } from './in-portions.ts'

const silent = new Logger(() => () => {})

/** With everything on that its page about performance names: a local queue, and settlements that wait for each other. */
export const library: Library = {
  async fill({ url, prefix: schema, messages }) {
    const worker = await makeWorkerUtils({ connectionString: url, schema, logger: silent })
    await worker.migrate()
    await inPortions(messages, (orders) =>
      worker.addJobs(
        orders.map((order) => ({
          identifier: channels.work,
          payload: JSON.parse(new TextDecoder().decode(orderMessage(order).body ?? new Uint8Array())),
          maxAttempts: 1,
        })),
      ),
    )
    await worker.release()
  },

  /** What has failed for good stays in the table, with its error. */
  letters: ({ url, prefix: schema }) =>
    withClient(url, async (client) => {
      const { rows } = await client.query(
        `SELECT count(*) FROM ${schema}._private_jobs WHERE attempts >= max_attempts AND last_error IS NOT NULL`,
      )
      return Number(rows[0].count)
    }),

  async consume({ url, prefix: schema, work }, progress) {
    const runner = await run({
      connectionString: url,
      taskList: {
        [channels.work]: async () => {
          progress.began()
          progress.handled()
          if (work === 'dead-letter') throw new Error('this one never works')
        },
      },
      preset: {
        worker: {
          schema,
          logger: silent,
          concurrentJobs: inHand,
          maxPoolSize: 10,
          localQueue: { size: 2 * inHand },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
      noHandleSignals: true,
    })
    let stopped: Promise<void> | undefined
    const stop = (): Promise<void> => (stopped ??= runner.stop())
    return { settled: stop, close: stop }
  },
}
